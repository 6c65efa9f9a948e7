"""What the graphs tell the search: which tiers to ask, and boosts for what they know."""
