"""What happens to a memory after it is stored: promotion, the bank's room, expiry, purging, erasure."""
