"""A program for Ludus in Python, without Ludus: it plays the middle of the menu, in any game.

ludus match connect_four "cmd:python3 bot.py" random
"""

import json
import sys

for line in sys.stdin:
    told = json.loads(line)
    if told["kind"] == "start":
        print(f"playing {told['title']} as player {told['player'] + 1}", file=sys.stderr)
    elif told["kind"] == "act":
        menu = told["menu"]
        print(json.dumps({"action": menu[len(menu) // 2]}), flush=True)
