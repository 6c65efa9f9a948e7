"""Measuring on a person's own questions: `page` with the questions, the form and the runs, `run` with one of them,
`everybody` with a run over the organisation, `lines` for how a run is told, `forms` for what is asked of it."""
