"""Two users whose memories lie in the index: what is rebuilt and what is compared."""

from collections.abc import Callable

import pytest

from memory.models import EndUser
from tests.rebuilds import fill

IndexNow = Callable[[EndUser], None]


@pytest.fixture
def ann(user: EndUser, index_now: IndexNow) -> EndUser:
    fill(user, 20)
    index_now(user)
    return user


@pytest.fixture
def ben(other_user: EndUser, index_now: IndexNow) -> EndUser:
    fill(other_user, 5)
    index_now(other_user)
    return other_user
