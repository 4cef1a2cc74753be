"""Put a run of `ludus train alphazero` among those that come with the package, its arrays in few bits.

    python bench/ship_network.py RUN NAME "ludus train alphazero …" [--bits 8]

Settings, log and the best network are kept; the command that made it goes into the settings.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from ludus.agents.alphazero import WEIGHTS
from ludus.catalogue import load
from ludus.disk import write_json
from ludus.nets.export import from_onnx, to_onnx
from ludus.runs import SHIPPED, RunFolder


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("name")
    parser.add_argument("command")
    parser.add_argument("--bits", type=int, choices=(32, 16, 8), default=8)
    asked = parser.parse_args()
    made, target = RunFolder(asked.run), RunFolder(SHIPPED / asked.name)
    content = made.read(WEIGHTS)
    assert content, "the run holds no network"
    target.path.mkdir(exist_ok=True)
    shutil.copy(asked.run / "log.csv", target.path)
    fingerprint = load(made.settings["game"]).fingerprint  # of this Python's compiler
    write_json(target.path / "settings.json", made.settings | {"fingerprint": fingerprint, "command": asked.command})
    target.write(WEIGHTS, to_onnx(*from_onnx(content), asked.bits))
    print(target.path, (target.path / WEIGHTS).stat().st_size, "bytes")


if __name__ == "__main__":
    main()
