"""How the installation does: health, Prometheus, Django's system checks."""
