"""The write path: what is admitted, rows and their versions and events, merging, lineage, listing."""
