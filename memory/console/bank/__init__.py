"""The memory bank: `page` with its list, its numbers and the form for a new statement, `changes` with what is done to
one or to many and taken back, `pinning` for putting in what a memory says, `forms` for what is filled in."""
