"""The record of each run: where one that was cut off goes on, what was done, which services were away."""

from datetime import datetime, timedelta
from typing import Final

from django.db.models import Sum

from memory.access.scope import user_scope
from memory.models import EndUser, FactRun
from memory.models.episodes import RunState

# Older than this a run that was cut off is left as it is, and another begins.
RESUMABLE: Final = timedelta(hours=12)
KEPT_RUNS: Final = 100


def open_run(user: EndUser, *, now: datetime, actor: str) -> FactRun:
    """The run that was cut off, or a new one. Under the lock of the runs."""
    with user_scope(user):
        cut_off = FactRun.objects.filter(user=user, state=RunState.RUNNING, started_at__gte=now - RESUMABLE)
        run = cut_off.order_by("-started_at").first()
        if run is not None:
            return run
        FactRun.objects.filter(user=user, state=RunState.RUNNING).update(state=RunState.PARTIAL, finished_at=now)
        return FactRun.objects.create(user=user, actor=actor, started_at=now)


def close_run(run: FactRun, *, now: datetime) -> None:
    """Mark a run as ended, note the time on the user's row, and delete all but the last runs."""
    run.state, run.finished_at = RunState.PARTIAL if run.missing else RunState.DONE, now
    with user_scope(run.user_id):
        run.save(update_fields=["state", "finished_at", "counts", "missing", "model_calls"])
        old = FactRun.objects.filter(user_id=run.user_id).order_by("-started_at")[KEPT_RUNS:]
        FactRun.objects.filter(user_id=run.user_id, pk__in=list(old.values_list("pk", flat=True))).delete()
        EndUser.objects.filter(pk=run.user_id).update(consolidated_at=now)


def list_runs(user: EndUser, limit: int) -> list[FactRun]:
    """The latest first."""
    with user_scope(user):
        return list(FactRun.objects.filter(user=user).order_by("-started_at")[:limit])


def count_model_calls(user: EndUser, now: datetime) -> int:
    """The calls of the language model in this day's runs. In the user's scope."""
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    called = FactRun.objects.filter(user=user, started_at__gte=today).aggregate(calls=Sum("model_calls"))
    return int(called["calls"] or 0)
