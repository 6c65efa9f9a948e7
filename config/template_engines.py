"""What draws pages: our templates, and after them those that frameworks bring for pages of their own."""

from pathlib import Path
from typing import Any, Final

BACKEND: Final = "django.template.backends.django.DjangoTemplates"
PROCESSORS: Final = [
    "django.template.context_processors.request",
    "django.contrib.auth.context_processors.auth",
    "django.contrib.messages.context_processors.messages",
]


def list_template_engines(base_dir: Path) -> list[dict[str, Any]]:
    ours = {
        "context_processors": PROCESSORS,
        "builtins": ["django.templatetags.static", "django.templatetags.i18n", "memory.web.url_tags"],
        "libraries": {"console": "memory.console.tags"},
    }
    return [
        {"BACKEND": BACKEND, "DIRS": [base_dir / "templates"], "APP_DIRS": False, "OPTIONS": ours},
        # The browsable API and the tables of superusers; a page of ours is never looked for here.
        {"BACKEND": BACKEND, "NAME": "frameworks", "APP_DIRS": True, "OPTIONS": {"context_processors": PROCESSORS}},
    ]
