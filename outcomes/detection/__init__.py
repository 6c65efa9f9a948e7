"""Finds the outcome of an exchange that nobody reported, from what was said next, by a language model.

``detector`` holds when an exchange is judged and what the model is shown; the prompt is
``templates/prompts/outcome_detection.txt``. Imports ``verdicts`` to record what it finds.
"""
