"""Documents a person hands in: kept until they are read, read in a child process, stored as memories of the tier books.

``reading`` turns a file into passages and knows no database. ``jobs`` keeps what was handed in and how far it is,
``ingestion`` carries a job from its bytes to the last vector, ``library`` lists, reads and removes books. ``api`` is
the door. To change what is read from a kind of file, look into ``reading``; to change what a job does, ``ingestion``.
"""
