"""Players, one file an algorithm. A file that lies here is an agent; nothing lists them."""
