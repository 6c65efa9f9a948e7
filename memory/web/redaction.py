"""Takes the secrets out of a request as it is read: whatever an endpoint does with a text, it never had them.

A key may refuse instead (`manage.py create_key --secrets refuse`): then a write is answered 422 with the field and the
kind. What only reads is redacted even so, since a context that is refused leaves the person without an answer.
"""

from typing import Any

from django.http import HttpRequest

from memory.access.keys import Principal
from memory.guard import redact_secrets
from memory.guard.redaction.texts import JsonRedaction
from memory.web.problems import FieldError, Problem, format_field_path, invalid_fields

FOUND = "_secrets_found"
# Signed by us, and as random as a token.
OWN_PARAMETERS = frozenset({"cursor"})


def redact_body(request: HttpRequest, body: Any) -> Any:  # noqa: ANN401 -- any JSON
    redaction = JsonRedaction()
    redacted = redaction.redact(body)
    if redaction.found:
        setattr(request, FOUND, redaction.found)
        if getattr(request, "required_scope", "") != "read":
            refuse_secrets(request)
    return redacted


def redact_query(parameters: dict[str, Any]) -> dict[str, Any]:
    return {name: value if name in OWN_PARAMETERS else redact_parameter(value) for name, value in parameters.items()}


def redact_parameter(value: Any) -> Any:  # noqa: ANN401 -- a text or a list of them
    if isinstance(value, list):
        return [redact_parameter(one) for one in value]
    return redact_secrets(value).text if isinstance(value, str) else value


def refuse_secrets(request: HttpRequest) -> None:
    """Raises Problem if secrets were found in a request whose key refuses them."""
    principal, found = getattr(request, "auth", None), getattr(request, FOUND, {})
    if found and isinstance(principal, Principal) and principal.refuses_secrets:
        raise build_refusal(found)


def build_refusal(found: dict[tuple[str | int, ...], tuple[str, ...]]) -> Problem:
    return invalid_fields(FieldError(*describe_finding(path, kinds)) for path, kinds in found.items())


def describe_finding(path: tuple[str | int, ...], kinds: tuple[str, ...]) -> tuple[str, str]:
    """The field, and that it holds a secret. Never the secret."""
    return format_field_path(list(path)), f"holds a secret ({', '.join(kinds)}), which this key refuses"
