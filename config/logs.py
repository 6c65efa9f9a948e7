"""One JSON object a line, with the request's id; never the content of a memory, and no secret."""

from collections.abc import MutableMapping
from typing import Any

import structlog


def redact_event(logger: object, name: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """The last processor: also the words of an error, which may quote what it stumbled over."""
    # Here, since the settings are read before any application may be.
    from memory.guard import redact_secrets

    for key, value in event.items():
        if isinstance(value, str):
            event[key] = redact_secrets(value).text
    return event


def logging_config(level: str) -> dict[str, Any]:
    foreign = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.ExtraAdder(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "json": {
                "()": structlog.stdlib.ProcessorFormatter,
                "processors": [
                    structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                    structlog.processors.format_exc_info,
                    redact_event,
                    structlog.processors.JSONRenderer(),
                ],
                "foreign_pre_chain": foreign,
            }
        },
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            "httpx": {"level": "WARNING"},
            "httpcore": {"level": "WARNING"},
            "qdrant_client": {"level": "WARNING"},
            "django.request": {"level": "ERROR"},
        },
    }


def configure_structlog() -> None:
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.stdlib.add_log_level,
            structlog.stdlib.add_logger_name,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
