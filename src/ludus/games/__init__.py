"""The rules, one file a game. A file that lies here is a game; nothing lists them."""
