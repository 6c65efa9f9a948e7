"""Three graphs learned from memories and outcomes: routing (concepts and tiers), content (entities), actions."""
