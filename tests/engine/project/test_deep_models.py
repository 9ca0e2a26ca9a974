"""What nests as deep as a model may is emitted on every backend, in a time that does not double with each level."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[3]
COMMAND = [sys.executable, "-c", "import sys; from loom.cli import main; sys.exit(main(['generate']))"]
MODEL = """
system CoinVault {{
    subdomain Core {{
        context LedgerBook {{
            enum MintHue {{ RedHue, BlueHue }}
            aggregate CoinPile with crudish {{
                totalWeight: int
                maybeWeight: int?
                quayNumbers: int[]
                function addOne(x: int): int = x + 1
                derived isDeep: bool = {body}
                operation weighAgain() {{ {statements} }}
            }}
            repository CoinPiles for CoinPile {{ }}
        }}
    }}
    storage mainDb {{ type: postgres }}
    resource ledgerState {{ for: LedgerBook, kind: state, use: mainDb }}
    api LedgerApi from Core
    deployable PythonLedger {{
        platform: python, contexts: [LedgerBook], dataSources: [ledgerState], serves: LedgerApi, port: 8100
    }}
    deployable NodeLedger {{
        platform: node, contexts: [LedgerBook], dataSources: [ledgerState], serves: LedgerApi, port: 8101
    }}
}}
"""
# What opens a level, what stands in the innermost, what closes a level, what makes a truth of all; how many levels.
EXPRESSIONS = {
    "sums": ("(1 + ", "totalWeight", ")", " > 1", 190),
    "products": ("(1.5 * ", "2.5", ")", " > 1.5", 190),
    "negations": ("-(", "totalWeight", ")", " > 1", 190),
    "opposites": ("!(", "totalWeight > 1", ")", "", 190),
    "choices": ("(totalWeight > 1 ? ", "1", " : 2)", " > 1", 190),
    "choices in conditions": ("(", "totalWeight > 1", " ? totalWeight > 2 : maybeWeight == 3)", "", 190),
    "choices in comparisons": ("(", "totalWeight > 1", " ? RedHue : BlueHue) == RedHue", "", 95),
    "chains": ("(totalWeight > 1 && (maybeWeight == 5 || ", "totalWeight > 7", "))", "", 95),
    "functions": ("addOne(", "1", ")", " > 1", 95),
    "matches": ("match { totalWeight > 1 => ", "1", ", else => 2 }", " > 1", 95),
}


def generated(folder: Path, body: str, statements: str) -> subprocess.CompletedProcess[str]:
    (folder / "loom.yaml").write_text(f"store: {folder}/store\nsystems: {{vault: {{entry: main.ddd}}}}\n")
    model = MODEL.format(body=body.replace("totalWeight > 7", "totalWeight > 7"), statements=statements)
    (folder / "main.ddd").write_text(model)
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    return subprocess.run(COMMAND, cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("kind", EXPRESSIONS)
def test_the_deepest_expressions_are_emitted(kind: str, tmp_path: Path) -> None:
    opened, inside, closed, end, levels = EXPRESSIONS[kind]
    done = generated(tmp_path, f"{opened * levels}{inside}{closed * levels}{end}", "")
    assert done.returncode == 0, done.stdout[-2000:]


def test_the_deepest_lambdas_and_statements_are_emitted(tmp_path: Path) -> None:
    opened = "".join(f"quayNumbers.where(item{level} => " for level in range(38))
    statements = f"{'if totalWeight > 1 { ' * 90}totalWeight := 1{' }' * 90}"
    done = generated(tmp_path, f"{opened}true{').count > 1' * 38}", statements)
    assert done.returncode == 0, done.stdout[-2000:]
