"""What messages are labelled with: topics, category, kind of message, importance and what they mention.

`rules` labels a message by the vocabulary's aliases and by cues, `entities` finds what it mentions, `by_model` asks a
language model with the vocabulary's terms as the only answers. `recording` keeps labels beside their memory and counts
what fitted no term, `tasks` labels what is new and what a changed vocabulary left behind.
"""
