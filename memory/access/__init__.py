"""Who may see which rows: the scope of a user, keys, users, locks, cursors, the rate limit."""
