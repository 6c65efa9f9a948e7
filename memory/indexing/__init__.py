"""From rows to the vector index: passages, the queue, token vectors, drift, rebuilding."""
