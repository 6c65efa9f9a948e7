"""The suites that adapters inherit are asserted in as tests are."""

import pytest

pytest.register_assert_rewrite(
    "tests.memory.indexes.lexical_index_contract", "tests.memory.indexes.vector_index_contract"
)
