"""Export and import: the page of both, and the page of one import from its check to its being taken back."""
