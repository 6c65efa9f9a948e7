"""Exchanges as they were said: storing, listing, profiling, retention."""
