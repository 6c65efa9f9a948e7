"""The books of one person, empty at first."""

import pytest

from tests.api_client import ApiClient
from tests.books.shelf import BookShelf


@pytest.fixture
def shelf(api: ApiClient) -> BookShelf:
    return BookShelf(api)
