"""What outcomes teach: counts for concepts, tiers and actions, and their undoing."""
