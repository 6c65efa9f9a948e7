"""Leaving and arriving: all that is kept of a person as one file of JSON Lines, and back again.

`tables` says which rows are written and which are made anew, `values` how a column is written and checked, `exporting`
makes a file of one snapshot, `checking` reads all of a file before anything is written, `restoring` writes it in one
transaction, `jobs` keeps an import until that is done, whichever process dies meanwhile. A new table of a person's data
gets a line in `tables`; a test fails without. Columns need nothing: they are read from the models.
"""
