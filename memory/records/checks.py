"""System check: the settings must name a server for the embedding model of personal records."""

from typing import Any

from django.core.checks import CheckMessage, Error, register

from memory.platform.faults import Unavailable
from memory.records import embedding


@register()
def check_embedder(app_configs: object, **kwargs: Any) -> list[CheckMessage]:
    try:
        embedding.load_records_embedder()
    except Unavailable as error:
        hint = "Recall answers EMBEDDING_MODEL_UNAVAILABLE; everything else works."
        return [Error(error.reason, hint=hint, id="kinds.E001")]
    return []
