"""How the installation does, for those who run it.

`health` probes each part for /api/health and the console, `prometheus` publishes what `platform.metrics` counted and
keeps a row of it a day, `checks` are Django's system checks. A new part is a probe in `health`; a new gauge is a source
in `prometheus`.

Imports everything below it and holds no state of its own.
"""
