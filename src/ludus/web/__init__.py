"""The page: a lobby, live matches, replays, tournaments and reports, in a browser.

app          the addresses                                  guard        what stands before them all
connections  doors, deadlines and the log                   visitors     what one visitor may take
lobby        all live matches                               session      one of them, its viewers and its pace
frames       what a viewer gets                             socket       one connection of a browser
thinkers     processes that think                           tasks        what they do
preparation  compiling beforehand                           estimates    who will probably win (chances: how)
offers       the games and agents that the page offers      archive      what is kept
"""
