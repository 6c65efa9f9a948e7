"""What an operator runs beside the product: Django management commands, and the demo that they load."""
