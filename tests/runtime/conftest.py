from tests.runtime.stack import stack

__all__ = ["stack"]
