"""What comes in from elsewhere and goes out: chats of other assistants, the tool catalogue."""
