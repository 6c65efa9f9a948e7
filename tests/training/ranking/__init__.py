"""How the weights of the ranking are found: by a fit over questions with known answers, each set left out in turn."""
