"""What is told in few words, mostly without a verb: sums, a new place, a couple, an ended work, a name said last.

`reading` calls one reader after the other. Each takes the claims of a `brief.BriefSentence` and gives them back with
its own. To read something new, write such a function and list it there; the order matters.
"""
