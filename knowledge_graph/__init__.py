"""What the memories are about and what worked: concepts, entities, actions, and what is learned from outcomes."""
