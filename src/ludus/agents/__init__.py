"""Players, one file an algorithm. A file that lies here is an agent; nothing lists them.

An agent of one game lies in the folder with that game's name.
"""
