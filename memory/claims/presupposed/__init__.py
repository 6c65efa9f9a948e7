"""What questions and requests take for granted of the person, by their own definite descriptions.

"How often should I water my ficus?" tells that there is a ficus, "before my shift at Lidl" where somebody works.
`kinds` knows the nouns and `phrases` finds whose they are; `people`, `places`, `things` and `systems` say what each
tells, and `pretending` which words tell nothing of anybody.
"""
