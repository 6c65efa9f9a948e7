"""A condition of statements that the framework has no words for: a value among those of an array."""

from django.db.models import BooleanField, Func


class IsAmong(Func):
    """Whether a value is one of an array's."""

    template = "%(expressions)s)"
    arg_joiner = " = ANY("
    output_field = BooleanField()
