"""Players of Thrones alone: the opponents of the course, the two published bots, and a champion."""
