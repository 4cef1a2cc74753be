"""Players of Planet Wars: the contest's five example bots, the planner of a paper, and a champion."""
