"""The house keeps its layout; each rule is also shown to catch a seeded violation."""

from __future__ import annotations

from pathlib import Path

import pytest

from loom.emit import backend_names
from tests.architecture.layers import (
    circular_imports,
    impurities,
    named_backends,
    oversized,
    taken_from_inside,
    upward_imports,
)

ROOT = Path(__file__).parents[2]


def seed(root: Path, module: str, text: str) -> Path:
    file = root / "loom" / module
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return root


def test_imports_point_leftwards() -> None:
    assert list(upward_imports(ROOT)) == []


def test_an_upward_import_is_reported(tmp_path: Path) -> None:
    seed(tmp_path, "ir/bad_import.py", "import loom.plan.model\n")
    assert list(upward_imports(tmp_path)) == ["loom.ir.bad_import:1 imports loom.plan.model (upward)"]


def test_an_upward_import_inside_a_function_is_reported(tmp_path: Path) -> None:
    seed(tmp_path, "plan/late.py", "def f():\n    from loom.build import store\n")
    assert list(upward_imports(tmp_path)) == ["loom.plan.late:2 imports loom.build (upward)"]


def test_one_backend_importing_another_is_reported(tmp_path: Path) -> None:
    seed(tmp_path, "backends/node/views.py", "from loom.backends.python import views\n")
    found = list(upward_imports(tmp_path))
    assert found == ["loom.backends.node.views:1 imports loom.backends.python (another backend)"]


def test_no_module_leads_back_to_itself() -> None:
    assert list(circular_imports(ROOT)) == []


@pytest.mark.parametrize("late", ["def f():\n    {}\n", "if TYPE_CHECKING:\n    {}\n", "{}\n"])
def test_a_circle_of_modules_is_reported(tmp_path: Path, late: str) -> None:
    seed(tmp_path, "build/first.py", "from loom.build import second\n")
    seed(tmp_path, "build/second.py", late.format("from loom.build.first import f"))
    assert list(circular_imports(tmp_path)) == ["loom.build.first imports loom.build.second imports loom.build.first"]


def test_a_package_may_offer_a_module_that_takes_another_of_it(tmp_path: Path) -> None:
    seed(tmp_path, "plan/__init__.py", "from loom.plan.steps import Step\n")
    seed(tmp_path, "plan/steps.py", "from loom.plan import texts\n")
    seed(tmp_path, "plan/texts.py", "")
    assert list(circular_imports(tmp_path)) == []


def test_targets_know_of_the_plan_what_it_offers() -> None:
    assert list(taken_from_inside(ROOT)) == []


def test_a_target_that_decides_anew_is_reported(tmp_path: Path) -> None:
    for module in ("plan/model.py", "plan/wire/routes.py", "lower/scope/names.py"):
        seed(tmp_path, module, "")
    text = (
        "from loom.plan import model\nfrom loom.plan.wire import routes\nfrom loom.lower.scope.names import kind_of\n"
    )
    seed(tmp_path, "backends/node/routes.py", text)
    assert list(taken_from_inside(tmp_path)) == [
        "loom.backends.node.routes imports loom.plan.wire.routes (decided before)",
        "loom.backends.node.routes imports loom.lower.scope.names (decided before)",
    ]


def test_everything_left_of_build_is_pure() -> None:
    assert list(impurities(ROOT)) == []


def test_a_clock_in_a_stage_is_reported(tmp_path: Path) -> None:
    seed(tmp_path, "lower/clocked.py", "import time\n\nprint(time.time())\n")
    assert list(impurities(tmp_path)) == [
        "loom.lower.clocked:1 imports time (not pure)",
        "loom.lower.clocked:3 calls print (not pure)",
    ]


def test_the_build_layer_may_touch_the_world(tmp_path: Path) -> None:
    seed(tmp_path, "build/clocked.py", "import time\n")
    assert list(impurities(tmp_path)) == []


def test_no_backend_is_named_outside_its_folder() -> None:
    assert list(named_backends(ROOT, backend_names())) == []


def test_a_named_backend_is_reported(tmp_path: Path) -> None:
    seed(tmp_path, "plan/special.py", 'def f(name):\n    return name == "node"\n')
    assert list(named_backends(tmp_path, ("node",))) == ["loom.plan.special:2 names the backend `node`"]


def test_modules_and_functions_stay_small() -> None:
    assert list(oversized(ROOT)) == []


def test_an_oversized_module_of_tests_is_reported(tmp_path: Path) -> None:
    seed(tmp_path, "../tests/test_long.py", "\n".join(f"x{i} = {i}" for i in range(401)))
    assert list(oversized(tmp_path)) == ["tests.test_long has 401 lines"]


def test_an_oversized_function_is_reported(tmp_path: Path) -> None:
    body = "\n".join(f"    x{i} = {i}" for i in range(40))
    seed(tmp_path, "plan/long.py", f"def grows() -> None:\n{body}\n")
    assert list(oversized(tmp_path)) == ["loom.plan.long:1 `grows` has 41 lines"]
