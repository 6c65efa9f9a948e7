"""What is told in few words, mostly without a verb: sums, a new place, a couple, an ended work, a name said last."""
