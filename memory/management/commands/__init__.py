"""One command a module; ``manage.py help memory`` lists them."""
