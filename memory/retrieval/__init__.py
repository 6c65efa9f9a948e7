"""Search with explained ranking: query -> candidates -> pool -> fusion -> signals -> rerank -> hits.

`search` is the pipeline; each step is a module of that name: `query` (understanding), `finding` (vector and word
search), `candidates` (rows and their neighbours), `fusion` (one relevance from both), `ranking` with `signals`, `late`
(token by token), `reranking` (a cross-encoder). `matching` finds the one bank item that a few words mean, `turns`
records what a search returned, so that an outcome can name it.

To change a reason to rank, change its weight and function at the end of a module in `signals`; to add one, write a
function from a query and a pool to a number per candidate, make a `RankingSignal` of it there and name it in `BOOSTS`
of `config/settings`. Measure both with `manage.py bench quality FILE --without each`; `docs/ranking.md` has the
figures.

Ranking fails open: a stage that is late or down is skipped, named and counted. Access control and deletion fail
closed: every hit is read from Postgres inside the user's scope before it is returned.
"""
