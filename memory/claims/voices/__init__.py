"""What of a text is not the person's own word as it stands: other voices, suppositions, what is only asked."""
