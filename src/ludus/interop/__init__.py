"""Ludus in the tools of others.

lanes         many matches side by side: what one learner sees, its answers by policy slot, the other seats by agents
raster        pictures as arrays of colours
gymnasium     one learner, the other seats played by agents; thousands of matches as one vector environment
pettingzoo    every seat an agent of theirs, in turns or all at once
openspiel     a game of ours as one of theirs

All of them number actions by policy slots: a slot means the same in every position, and a mask says which are allowed.
Each needs its package, which an extra of Ludus brings; none is imported by anything else here.
"""
