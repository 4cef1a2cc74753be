"""Tree search: what a tree is, how it grows, and how its leaves are valued. Agents add settings, limits and thoughts.

tree        decision points keyed by views, their arms, and what is proven of them
rollout     a leaf valued by random play, or by the game's heuristic
uct         simulation after simulation, by upper confidence bounds
forest      many trees at once, guided by priors; they stop at their leaves, hand them out and go on with the answers
alphabeta   depth-first, for open games with turns
"""
