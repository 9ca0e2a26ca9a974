"""A fuzzer that follows coverage, on Atheris: `python -m tests.fuzz.run SECONDS [FOLDER] [OPTION…]`.

In: seconds, a folder that keeps what reached new code, options of libFuzzer. Out: inputs that reached it; a fault ends
the run, with the bytes that made it in a file `crash-…` of the present folder.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["loom"], enable_loader_override=False):
    from tests.fuzz.mutations import mutated, seeds
    from tests.fuzz.target import exercise

KEPT = Path(__file__).with_name("kept")


def main(seconds: str, *more: str) -> None:
    texts = seeds()

    def mutate(data: bytes, most: int, seed: int) -> bytes:
        chance = random.Random(seed)
        if chance.random() < 0.1:
            return bytes(atheris.Mutate(data, most))
        return mutated(chance, [data.decode(errors="replace") or " ", *chance.sample(texts, 3)])[:most]

    options = [f"-max_total_time={seconds}", "-max_len=12000", "-timeout=60", "-rss_limit_mb=4096"]
    atheris.Setup([sys.argv[0], *options, *more, str(KEPT)], exercise, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
