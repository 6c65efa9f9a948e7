"""The content graph: what each memory contributes to entities and their connections."""
