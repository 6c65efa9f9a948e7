"""The words of the interface in its languages: none is missing or broken, and what is shipped is what is written."""
