"""The playtest: is this game any good?"""
