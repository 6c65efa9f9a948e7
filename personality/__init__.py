"""Who the assistant is and how it answers: a template in YAML that a person chooses, told first in every context.

Where to change what:
- a field, its values and what the assistant is told of each: `schema`
- what is a fault in a template, and where: `reading` (YAML), `validation` (the schema)
- the words of the prompt: `wording`; the templates of the house: `presets/`
- fields set and secrets taken out in the YAML itself, comments kept: `editing`
- which template a person has, and what is told when it cannot be read: `templates`, `prompts`

`memory.context` reaches `prompts` by a dotted name in the settings, as it may not import an application.
"""
