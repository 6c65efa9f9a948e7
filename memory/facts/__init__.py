"""What is held true of a person; today the facts of a profile that their own words state."""
