"""Redaction: secrets are taken out of a text before anything keeps it.

Where to change what:
- what a service issues, cards, accounts, addresses with passwords: `forms`
- a word that names a secret, a lock, or follows where no secret is told: `memory/language/<code>/secrets.txt`
- what looks like a password or a code: `values`
- how a name and its secret stand together: `passwords` (passwords, phrases, keys) and `codes` (digits)
- marks, replies, nested values: `texts`

Pure: it may import `memory.language` and nothing else. Every reader takes time in proportion to the text: 32 KB of
anything are read in 50 ms, a sentence in 25 microseconds.
"""
