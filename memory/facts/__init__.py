"""What is held true of a person: facts with evidence, validity and confidence.

`recording` decides what a new statement does to what is known, by the judge of `pairs`; `changes` are the steps a fact
can take (supersede, merge, retract, forget, confirm, restore), each with its event; `evidence` what speaks for it;
`confidence` how far it is believed at a time; `queries` and `nearest` read; `reviews` holds what waits for a person;
`profile` reads a message. Publishing to the memory bank stands above, in `memory.lifecycle.publishing`.

May import models, access, inference and what is below; not the store beside it.
"""
