"""The suites that adapters inherit are asserted in as tests are."""

import pytest

pytest.register_assert_rewrite("tests.contracts.lexical_index", "tests.contracts.vector_index")
