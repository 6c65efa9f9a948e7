"""What happened to everything that is kept of a person, by day, and what was so on one of them."""
