"""What an assistant receives before it answers: sections, budget, meta."""
