"""What comes in from files: chats of other assistants and files of other memories (`chats`), data sets (`catalogue`).

A format of its own gets a module beside `chats.chatgpt` with `KIND`, `recognises` and `read_messages`, and a line in
`chats.importing.FORMATS`. A file is checked whole before anything is written, and importing it again adds nothing.

Writes through `memory.store` only; the readers of formats import no framework.
"""
