"""What a person says in reply to the assistant's questions: bare answers, yes and no, and what a follow-up asks.

`replying` chooses among `answering` ("Any allergies?" "Sesame"), `confirming` ("Still in York?" "No, Hull") and
`follow_ups` ("What's she called?" "Nala"); `told_questions` words a question as its answer would say it.
"""
