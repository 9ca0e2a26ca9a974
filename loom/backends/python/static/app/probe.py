"""Asks the service in this container how it is: `python3 -m app.probe /ready` fails unless well."""

from __future__ import annotations

import os
import sys
from urllib.error import URLError
from urllib.request import urlopen


def main(path: str) -> int:
    port = os.environ.get("PORT", "").strip() or "8000"
    try:
        with urlopen(f"http://127.0.0.1:{port}{path}", timeout=3) as answer:
            return 0 if answer.status == 200 else 1
    except URLError:
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "/health"))
