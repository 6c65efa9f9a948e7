"""Metrics for Prometheus. They contain no user data."""

import hmac

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from memory.conf import memory_conf
from memory.operations import prometheus
from memory.platform import metrics
from memory.web.auth import is_local
from memory.web.problems import problem_from_status


@csrf_exempt
def metrics_view(request: HttpRequest) -> HttpResponse:
    """For programs on this machine, and for whoever holds the token."""
    if request.method not in {"GET", "HEAD"}:
        return problem_from_status(405, headers={"Allow": "GET, HEAD"}).response()
    if not may_read_metrics(request):
        challenge = {"WWW-Authenticate": 'Bearer realm="metrics"'}
        return problem_from_status(401, "Metrics need the token of METRICS_TOKEN.", headers=challenge).response()
    # The process that answers has counts of its own that are not on their way yet.
    metrics.flush_counts()
    answer = HttpResponse(prometheus.render_prometheus(timezone.now()), content_type=CONTENT_TYPE_PLAIN_0_0_4)
    answer.headers["Cache-Control"] = "no-store"
    return answer


def may_read_metrics(request: HttpRequest) -> bool:
    token = memory_conf().metrics.token
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    # Compared in constant time: a token must not be guessed letter by letter.
    if token and scheme.lower() == "bearer" and hmac.compare_digest(given.strip().encode(), token.encode()):
        return True
    return is_local(request)
