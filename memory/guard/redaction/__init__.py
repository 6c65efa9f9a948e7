"""Redaction: secrets are taken out of a text before anything keeps it.

Where to change what:
- what a service issues, cards, accounts, addresses with passwords: `forms`
- a word that names a secret, a lock, or follows where no secret is told: `memory/language/<code>/secrets.txt`
- what looks like a password or a code: `values`
- how a name and its secret stand together: `passwords` (passwords, phrases, keys) and `codes` (digits)
- what else may be a secret by what surrounds it: `candidates` (shapes and features), weighed by `likelihood`, which is
  trained in `tests/training/guard/secrets.py` on lines in `tests/memory/guard/secrets`
- marks, replies, nested values: `texts`

Pure: it may import `memory.language` and nothing else. Every reader takes time in proportion to the text: 32 KB of
prose are read in 13 ms, 32 KB of nothing but secrets in some 50, a sentence in 30 microseconds.
"""
