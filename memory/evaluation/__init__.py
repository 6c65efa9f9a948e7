"""How well the search finds: data sets, metrics, and the ways to score a ranking on them."""
