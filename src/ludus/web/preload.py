"""Loaded by the process of which the thinkers are copies: what takes long to load is loaded there, once."""

from numba import njit

from ludus.web import tasks

__all__ = ["tasks"]
njit(lambda number: number + 1)(1)  # the compiler itself is loaded with its first use
