"""The page: a lobby, live matches, replays, tournaments and reports, in a browser.

session    one live match, without a web framework        shelf      the games and agents that the page offers
lobby      all live matches, and who thinks when          archive    what is kept: replays, tournaments, reports
chances    who will probably win                          socket     one connection of a browser
app        the addresses
"""
