"""Measuring the search on a person's own questions: which are labelled, and what two settings make of them.

`cases` keeps the questions somebody labelled, `labels` reads those of turns that worked beside them, `asking` asks them
under a setting, `intervals` says what is noise, `runs` keeps what came of it and `tasks` does it in the background.
`metrics` are the measures, which the benchmarks use too. No language model and no judge is asked. May import what
stands below the facade; knows no HTTP.
"""
