"""How fast the product is and what it bears: `manage.py bench speed`, `load`, `streams`, `insights` and
`promotion`.

`speed` and `load` measure the running product through HTTP: `client` makes the calls, `serving` starts web and worker
where none runs, `staging` makes an organisation of the run's own, `synthetic` writes notes and questions in
`vocabulary/`, `bulk` loads sizes that would take hours through the API. `insights` and `promotion` fill a user and
measure one part each. How well memories are found is measured in `memory.evaluation`, which knows nothing of this
package and lends it clocks and tables. Nothing imports this package but the command; it never touches a user that it
did not make.

`transfer` measures a person's move from one organisation to another.
"""
