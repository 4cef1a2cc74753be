"""Draws docs/pictures/demo.svg: what `make demo` prints, as a terminal shows it."""

from __future__ import annotations

import io
import re
import subprocess
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "pictures" / "demo.svg"


def main() -> None:
    shown = subprocess.run(["make", "--silent", "demo"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    console = Console(record=True, width=82, file=io.StringIO())
    console.print(Text.from_ansi("$ make demo\n\n" + shown.rstrip()))
    svg = console.export_svg(title="Ludus", clear=False)
    # The picture must not ask the network for its fonts.
    svg = re.sub(r"@font-face \{.*?\}", "", svg, flags=re.DOTALL)
    PICTURE.write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
