"""Finds the outcome of an exchange that nobody reported, from what was said next."""
