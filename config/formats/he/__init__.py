"""Read by Django in this language; see config/formats/__init__.py."""
