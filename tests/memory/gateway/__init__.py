"""The gateway, driven by the official client of the API it speaks."""
