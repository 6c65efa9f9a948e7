"""What a client asks about the server: who it talks to, how it is configured, and what there is not."""

from django.http import HttpResponse, JsonResponse

from memory.mem0.door import Mem0Call, render_message
from memory.mem0.finding import Mem0PageIn, join_conditions
from memory.mem0.people import find_person, resolve_filtered
from memory.models import Organization
from memory.models.predicates import ColumnIs
from memory.tiers import Tier
from memory.web.problems import invalid_field

CONFIGURED = "Nothing was changed: this server takes its configuration from its operator."
MOST_SUMMARISED = 200


def ping(call: Mem0Call) -> HttpResponse:
    """Every client asks this before anything else, and starts only when it is told who it is."""
    slug = Organization.objects.values_list("slug", flat=True).get(pk=call.principal.organization_id)
    # Organisations have one memory and no projects of their own; the client wants both names.
    return JsonResponse({"status": "ok", "org_id": slug, "project_id": slug, "user_email": None})


def summarize(call: Mem0Call) -> HttpResponse:
    """What is held true of a person, a line each."""
    asked = call.read(Mem0PageIn)
    person = resolve_filtered(call, asked.filters, asked.user_id)
    wanted = join_conditions(asked.build_conditions(person), ColumnIs("tier", (Tier.MEMORY_BANK.value,)))
    user = find_person(call, person)
    items, count = call.memory.list_page(user, wanted, start=0, limit=MOST_SUMMARISED) if user else ([], 0)
    return JsonResponse({"summary": "\n".join(item.text for item in items), "count": count})


def refuse_export(call: Mem0Call) -> HttpResponse:
    raise invalid_field("schema", "exports into a schema are not offered; /v1/memories/ lists everything, page by page")


def refuse_projects(call: Mem0Call, **address: str) -> HttpResponse:
    raise invalid_field("", "projects are not offered: an organisation has one memory, set up by its operator")


def refuse_webhooks(call: Mem0Call, **address: str) -> HttpResponse:
    raise invalid_field("", "mem0's webhooks are not offered; this server has its own, at /api/v1/webhooks")


def refuse_profile_jobs(call: Mem0Call) -> HttpResponse:
    raise invalid_field("", "profile jobs are not offered: /v2/entities/user/{id}/profile/ is always up to date")


def tell_settings(call: Mem0Call) -> HttpResponse:
    return render_message("This server takes its configuration from its operator.", version="commonplace")


def keep_settings(call: Mem0Call) -> HttpResponse:
    return render_message(CONFIGURED)
