"""Reads the graphs: statistics, browsing, paths, the view that the console draws."""
