"""The benchmark: how well memories are found, and how fast.

`metrics`, `datasets`, `synthetic` and `timing` are pure: judged rankings, files, text and clocks. `loading` puts stores
into fresh users and takes them out again, `quality` asks every question of a data set in several search modes, `speed`
measures the running product through HTTP, `report` prints. It stands above the facade, as the commands do, and nothing
imports it but `manage.py bench`. It refuses to touch any user that it did not make.
"""
