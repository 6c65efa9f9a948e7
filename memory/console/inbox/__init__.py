"""What waits for a person: pairs of facts, and statements that the guard suspects."""
