"""How well memories are found: `manage.py bench quality` and `learning`.

`datasets` reads files of stores with graded questions, `scenarios` the product's own sets in `scenarios/`, `metrics`
scores a ranking; all three are pure. `loading` puts stores into fresh users and takes them out again, `quality` asks
every question of a data set in several search modes, `learning` asks in rounds with outcomes between them, `claims`
measures what is read from turns. `report` prints tables and `timing` measures, for `memory.benchmarks` as well. A new
figure begins in `metrics`, a new mode of the search in `quality`. May be used by doors; imports the facade, and never
`memory.benchmarks`.
"""
