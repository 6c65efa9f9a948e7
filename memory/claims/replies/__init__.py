"""What a person says in reply to the assistant's questions: bare answers, yes and no, and what a follow-up asks."""
