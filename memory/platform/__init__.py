"""What every room stands on, without a word of the domain: Redis, HTTP, faults, deadlines, breakers, metrics."""
