"""A page as a real browser sees it: Chromium without a window runs a script in it and tells what came of that.

In: a file, a script, a width, light or dark. Out: what the script gives.
"""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

MISSING = "no chromium-headless-shell here: apt-get install chromium-headless-shell"
# Blink's numbers of its colour schemes.
_SCHEMES = {"dark": 0, "light": 1}


def asked(page: Path, script: str, *, width: int = 1280, scheme: str = "light") -> Any:  # noqa: ANN401 - what JSON holds
    """`script` is the body of a function that returns something for JSON; it runs in a copy of the page beside it."""
    program = shutil.which("chromium-headless-shell")
    assert program, MISSING
    told = f"const told=(()=>{{{script}}})();document.body.dataset.told=JSON.stringify(told)"
    copy = page.with_name(f"asked-{page.name}")
    copy.write_text(page.read_text("utf-8").replace("</body>", f"<script>{told}</script></body>"), encoding="utf-8")
    done = subprocess.run(
        [program, "--no-sandbox", "--disable-gpu", f"--window-size={width},900", "--dump-dom",
         f"--blink-settings=preferredColorScheme={_SCHEMES[scheme]}", copy.as_uri()],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    copy.unlink()
    found = re.search(r'<body[^>]* data-told="([^"]*)"', done.stdout)
    assert found, f"the script gave nothing: {done.stderr[-2000:]}"
    return json.loads(html.unescape(found[1]))
