"""More broken models: what other languages, tools and editors leave in a file, and what stands in a wrong place.

Each has one cause, so each is told once.
"""

from __future__ import annotations

import gzip

from tests.engine.pipeline.broken_models import (
    BODY,
    DERIVED,
    EVENTS,
    HIVE,
    HONEY,
    IMPORT,
    MAIN,
    WORDS,
    Broken,
    Edit,
    one,
    whole,
)

NAME = '"national"'
FIELD = "queenDNA: string?"
OPERATION = "operation addFrames"
PRECONDITION = "precondition count > 0"
CONFLICT = "\n¦<<<<<<< HEAD\nframes: int = 10\n=======\nframes: int = 11\n>>>>>>> other\n"

IMPORTS = (
    one("import of NUL", "nul-in-string", HIVE, IMPORT, f'import "./qua¦\0lity.ddd"\n{IMPORT}'),
    one("import of an absolute path", "import-outside-project", HIVE, IMPORT, f'import ¦"/etc/passwd"\n{IMPORT}'),
    one("import of a folder", "import-outside-project", HIVE, IMPORT, f'import ¦"../.."\n{IMPORT}'),
    one("import of another kind of file", "import-not-model", HIVE, IMPORT, f'import ¦"../loom.yaml"\n{IMPORT}'),
    one("import without a suffix", "import-not-model", HIVE, IMPORT, f'import ¦"./quality"\n{IMPORT}'),
    one("import in other letters", "import-not-found", HIVE, IMPORT, f'import ¦"./Quality.ddd"\n{IMPORT}'),
    one("import with an endless name", "import-not-found", HIVE, IMPORT, f'import ¦"./{"a" * 5000}.ddd"\n{IMPORT}'),
    one("import of names", "parse-error", HIVE, IMPORT, f"import ¦{{ BeeTemper }}\n{IMPORT}"),
    one("import in single quotes", "lex-error", HIVE, IMPORT, f"import ¦'./quality.ddd'\n{IMPORT}"),
    Broken("import whose names are used all over", ("import-not-found",), (
        Edit(HIVE, IMPORT, 'import ¦"./qualiti.ddd"\n'), Edit(HONEY, IMPORT, ""),
    )),
)  # fmt: skip
TEXTS = (
    one("quotes of a word processor", "lex-error", HIVE, NAME, "¦\u201cnational\u201d"),
    one("dash of a word processor", "lex-error", HIVE, "siteName +", "siteName ¦\u2014"),
    one("space that does not break", "lex-error", HIVE, "frames: int", "frames:¦\u00a0int"),
    one("space of no width", "lex-error", HIVE, "frames: int", "frames: i¦\u200bnt"),
    one("Cyrillic letter", "lex-error", HIVE, "queenDNA", "queenDN¦\u0410"),
    one("bee in a name", "lex-error", HIVE, "frames: int", "frames¦\U0001f41d: int"),
    one("conflict of versions", "unsettled-conflict", HIVE, "frames: int = 10", CONFLICT),
    one("template that never ends", "unclosed-string", HIVE, DERIVED, "derived display: string = ¦`{siteName"),
    one("hole without anything in it", "parse-error", HIVE, '+ " hive"', "+ `a {¦}`"),
    whole("JSON", "parse-error", WORDS, '¦{"enum": ["Calm"]}\n'),
    whole("YAML", "parse-error", WORDS, "¦systems:\n  apiary: main\n"),
    Broken("UTF-16 without a mark", ("not-utf8",), (Edit(WORDS, "// Words", "¦// Words"),),
        lambda text: text.encode("utf-16-le")),
    Broken("compressed", ("not-utf8",), (Edit(WORDS, "// Words", "// Words"),),
        lambda text: gzip.compress(text.encode(), mtime=0)),
)  # fmt: skip
PLACES = (
    one("statement among members", "parse-error", HIVE, DERIVED, f"{DERIVED}\n            ¦frames := 3"),
    one("operation outside of an aggregate", "parse-error", HIVE, EVENTS, f"        ¦operation move() {{ }}\n{EVENTS}"),
    one("aggregate outside of a context", "parse-error", WORDS, "enum", "¦aggregate Hive { }\nenum"),
    one("workflow outside of a context", "parse-error", WORDS, "enum", "¦workflow Open { create() { } }\nenum"),
    one("emit as a value", "parse-error", HIVE, DERIVED, "derived display: string = emit ¦Moved { }"),
    one("unknown clause", "parse-error", MAIN, "port: 8302", "¦prt: 8302"),
    one("platform given twice", "parse-error", MAIN, "platform: node", "platform: node\n        ¦platform: python"),
    one("platform left out", "missing-clause", MAIN, "HarvestService {\n        platform: node", "¦HarvestService {"),
    one("port as a text", "setting-type", MAIN, "port: 8302", 'port: ¦"8302"'),
    one("storage without a type", "missing-clause", MAIN, "apiaryDatabase { type: postgres }", "¦apiaryDatabase { }"),
    one("misspelt operation", "parse-error", HIVE, OPERATION, "¦opration addFrames"),
    one("misspelt aggregate", "parse-error", HIVE, "aggregate BeeHive", "¦agregate BeeHive"),
)  # fmt: skip
HABITS = (
    one("loop while", "parse-error", HIVE, BODY, "¦while (count > 1) { frames += 1 }"),
    one("loop with a counter", "parse-error", HIVE, BODY, "¦for (let i = 0; i < count; i++) { frames += 1 }"),
    one("throw", "parse-error", HIVE, BODY, '¦throw new Error("no")'),
    one("try", "parse-error", HIVE, BODY, "¦try { frames += 1 } catch (e) { frames := 0 }"),
    one("return of nothing", "parse-error", HIVE, BODY, f"if count > 5 {{ ¦return }}\n                {BODY}"),
    one("return of what is not declared", "return-untyped", HIVE, BODY, f"¦return frames\n                {BODY}"),
    one("three equality signs", "parse-error", HIVE, PRECONDITION, "precondition count ¦=== 1"),
    one("not", "parse-error", HIVE, PRECONDITION, "precondition ¦not count"),
    one("is null", "parse-error", HIVE, PRECONDITION, "precondition queenDNA ¦is null"),
    one("other value for null", "parse-error", HIVE, BODY, 'siteName := queenDNA ¦?? "none"'),
    one("counting up", "parse-error", HIVE, BODY, "frames¦++"),
    one("let with a type", "parse-error", HIVE, BODY, f"let more¦: int = 3\n                {BODY}"),
    one("quotient in a whole number", "assignment-type", HIVE, BODY, "frames := count ¦/ 2"),
    one("aggregate for its id", "call-arg-type", HIVE, "found.addFrames(2)", "let one = BeeHives.getById(¦found)"),
    one("text for an amount", "assignment-type", HIVE, FIELD, 'price: money = ¦"1.00"'),
    one("type of many languages", "unknown-type", HIVE, FIELD, "isOpen: ¦boolean = false"),
    one("long chain", "unknown-name", HIVE, "int = 10", f"int = {'1 + ' * 20000}¦other"),
)  # fmt: skip

FOREIGN = (*IMPORTS, *TEXTS, *PLACES, *HABITS)
