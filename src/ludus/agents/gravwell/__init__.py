"""Players of Gravwell alone: decision trees, a champion, and how learners see the game."""
