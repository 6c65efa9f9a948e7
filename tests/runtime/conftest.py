from tests.runtime.stack import installation, stack

__all__ = ["installation", "stack"]
