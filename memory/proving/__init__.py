"""Whether the product keeps its promises, shown on an installation of its own: `manage.py prove`.

`promises` says what a row is, `register` lists all of them, `stage` is the installation that they hurt, and each other
module proves the rows of one matter. A row is judged by what was measured; what was not measured says why.
"""
