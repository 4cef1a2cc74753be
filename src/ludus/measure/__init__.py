"""Matches as numbers: replays, what each seat could expect, and the metrics that are read off them."""
