"""The plain-Python half of a check, in a process of its own in which nothing is compiled."""

from ludus.testing.plain import answer

answer()
