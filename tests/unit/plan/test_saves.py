"""Where saves stand in workflow bodies."""

from __future__ import annotations

from loom.ir import statements as st
from loom.ir.types import BOOL, AggregateType, Ref
from loom.plan.code.saves import workflow_steps
from loom.plan.steps import DeleteStep, ForEachStep, IfPresentStep, IfStep, Save, Step, Track
from tests.kit.build import local, optional

LOT = Ref(context="SeedVault", name="SeedLot")
TRUE = local("flag", BOOL)


def made(name: str) -> st.Statement:
    return st.CreateInstance(name=name, aggregate=LOT, arguments=())


def read(cardinality: st.Cardinality) -> st.Read:
    return st.Read(kind=st.ReadKind.FIND, aggregate=LOT, cardinality=cardinality, name="byTag")


def loaded(name: str, cardinality: st.Cardinality = st.Cardinality.ONE) -> st.Statement:
    return st.Load(name=name, read=read(cardinality))


def changed(name: str) -> st.Statement:
    return st.Invoke(receiver=name, aggregate=LOT, operation="seal", arguments=(), bind="", mutates=True)


def looked_at(name: str) -> st.Statement:
    return st.Invoke(receiver=name, aggregate=LOT, operation="weigh", arguments=(), bind="weight", mutates=False)


def deleted(name: str) -> st.Statement:
    return st.Delete(name=name, aggregate=LOT)


def when(*then: st.Statement, otherwise: tuple[st.Statement, ...] = ()) -> st.Statement:
    return st.If(condition=TRUE, then=then, otherwise=otherwise)


def each(name: str, *body: st.Statement) -> st.Statement:
    return st.ForEach(name=name, source=None, read=read(st.Cardinality.MANY), body=body)


RETURN = st.Return(value=TRUE)
MISS = st.NotFound(detail="SeedLot not found")


def outline(steps: tuple[Step, ...]) -> str:
    return " ".join(_word(step) for step in steps if not isinstance(step, Track))


def _word(step: Step) -> str:
    match step:
        case Save(name=name, conditional=conditional):
            return f"save?:{name}" if conditional else f"save:{name}"
        case IfStep(then=then, otherwise=otherwise) | IfPresentStep(then=then, otherwise=otherwise):
            return f"[{outline(then)} | {outline(otherwise)}]"
        case ForEachStep(body=body):
            return f"({outline(body)})"
        case DeleteStep(name=name):
            return f"delete:{name}"
        case st.CreateInstance(name=name):
            return f"new:{name}"
        case st.Load(name=name):
            return f"load:{name}"
        case st.Invoke(receiver=name):
            return f"call:{name}"
        case _:
            return type(step).__name__.lower()


def planned(*body: st.Statement) -> str:
    return outline(workflow_steps(body))


def test_fresh_ones_are_always_saved_in_order_of_declaration() -> None:
    assert planned(loaded("b"), made("a"), changed("b")) == "load:b new:a call:b save:b save:a"


def test_a_loaded_one_that_nothing_changed_is_not_saved() -> None:
    assert planned(loaded("order"), looked_at("order")) == "load:order call:order"


def test_a_return_comes_after_the_saves() -> None:
    assert planned(made("order"), RETURN) == "new:order save:order return"


def test_what_a_branch_binds_is_saved_at_its_end() -> None:
    assert planned(when(made("inner")), made("outer")) == "[new:inner save:inner | ] new:outer save:outer"


def test_a_change_in_one_branch_makes_the_save_conditional() -> None:
    assert planned(loaded("lot"), when(changed("lot"))) == "load:lot [call:lot | ] save?:lot"


def test_a_change_in_both_branches_does_not() -> None:
    body = (loaded("lot"), when(changed("lot"), otherwise=(changed("lot"),)))
    assert planned(*body) == "load:lot [call:lot | call:lot] save:lot"


def test_a_later_change_outside_settles_it() -> None:
    assert planned(loaded("lot"), when(changed("lot")), changed("lot")) == "load:lot [call:lot | ] call:lot save:lot"


def test_each_iteration_saves_its_element() -> None:
    assert planned(each("lot", changed("lot"))) == "(call:lot save:lot)"


def test_what_a_loop_changes_around_it_is_saved_once_after_it() -> None:
    assert planned(loaded("total"), each("lot", changed("total"))) == "load:total (call:total) save?:total"


def test_a_return_in_a_loop_saves_what_earlier_iterations_changed() -> None:
    body = (loaded("total"), each("lot", when(RETURN), changed("total")))
    assert planned(*body) == "load:total ([save?:total return | ] call:total) save?:total"


def test_a_return_in_a_branch_saves_what_is_pending_on_its_way_only() -> None:
    body = (loaded("lot"), when(changed("lot"), RETURN), RETURN)
    assert planned(*body) == "load:lot [call:lot save:lot return | ] return"


def test_a_branch_that_ends_in_not_found_says_nothing_about_the_rest() -> None:
    body = (made("lot"), when(MISS))
    assert planned(*body) == "new:lot [notfound | ] save:lot"


def test_a_deleted_one_is_not_saved_again() -> None:
    assert planned(loaded("lot"), changed("lot"), deleted("lot")) == "load:lot call:lot delete:lot"


def test_one_that_is_deleted_on_some_way_is_saved_on_the_others() -> None:
    body = (made("lot"), when(deleted("lot")))
    assert planned(*body) == "new:lot [delete:lot | ] save?:lot"


def test_an_optional_one_is_saved_where_it_is_known_to_be_there() -> None:
    body = (loaded("lot", st.Cardinality.OPTIONAL), when(changed("lot")), made("other"))
    assert planned(*body) == "load:lot [call:lot save:lot | ] new:other save:other"


def test_a_bound_element_of_an_optional_is_saved_in_its_branch() -> None:
    source = local("maybe", optional(AggregateType(ref=LOT)))
    present = st.IfLet(name="lot", source=source, read=None, then=(changed("lot"),), otherwise=(MISS,))
    assert planned(present) == "[call:lot save:lot | notfound]"
