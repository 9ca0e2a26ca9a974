"""What the program says of workflows that keep state and react, of event logs, and of what bodies leave for later."""

from __future__ import annotations

from loom.ir import program as ir
from loom.ir import statements as st
from loom.ir.expressions import Expr, Field, Local
from loom.ir.types import JSON, IdType, OptionalType, Ref
from loom.parse import parse
from tests.kit.lowering import lower_files

MODEL = """
system BeeHouse {
  storage combStore { type: s3, config: { bucket: "combs" } }
  resource files { for: BeeYard, kind: objectStore, use: combStore }
}
context BeeYard {
  event HiveOpened { hive: BeeHive id, order: int }
  event HoneyTaken { HTTPHive: BeeHive id, grams: int }
  command TakeHoney { hive: BeeHive id, grams: int }
  aggregate BeeHive with crudish { class: string }
  workflow keeping requires 1 < 2 {
    hive: BeeHive id
    grams: int = 0
    create(opened: HiveOpened) { grams := opened.order }
    create taking(request: TakeHoney) {
      let before = files.get("comb")
      files.put("comb", { grams: request.grams, all: [before] })
      afterCommit { files.delete("comb") }
      enqueue workflow keeping.later(request.hive, 2)
      enqueue Forget(request.hive)
    }
    create later(other: BeeHive id, grams: int) by other { this.grams := grams }
    on(taken: HoneyTaken) by taken.HTTPHive { requires grams > 0  grams := grams + taken.grams }
  }
  commandHandler Forget(hive: BeeHive id) { files.delete(string(hive)) }
}
context HoneyShop {
  event JarFilled { jar: HoneyJar id, grams: int }
  aggregate HoneyJar persistedAs: eventLog {
    grams: int
    create fill(grams: int) { emit JarFilled { jar: id, grams: grams } }
    apply(filled: JarFilled) { grams := filled.grams }
  }
  workflow selling eventSourced {
    hive: BeeHive id
    create(taken: HoneyTaken) by taken.HTTPHive { precondition taken.grams > 0 }
  }
}
"""
HIVE = IdType(aggregate=Ref(context="BeeYard", name="BeeHive"))


def program(context: str) -> ir.Context:
    lowered = lower_files({"model.ddd": parse("model.ddd", MODEL.encode()).ast})
    assert lowered.diagnostics() == []
    return lowered.context(context).context


def keeping() -> ir.Workflow:
    return program("BeeYard").workflows[0]


def printed(key: Expr | None) -> str:
    """What a key reads, by name."""
    match key:
        case Local(name=name):
            return name
        case Field(receiver=receiver, name=name):
            return f"{printed(receiver)}.{name}"
        case _:
            return ""


def test_the_only_id_of_a_state_is_its_key() -> None:
    assert (keeping().key, [item.name for item in keeping().state]) == ("hive", ["hive", "grams"])
    assert [gate.source for gate in keeping().requires] == ["1 < 2"]


def test_keys_are_read_from_what_an_entry_is_given() -> None:
    assert [(item.name, printed(item.key)) for item in keeping().creates] == [
        ("taking", "request.hive"),
        ("later", "other"),
    ]
    (starter,), (reactor,) = keeping().starters, keeping().reactors
    assert [printed(starter.key), printed(reactor.key)] == ["opened.hive", "taken.HTTPHive"]
    assert starter.key.type == reactor.key.type == HIVE


def test_gates_of_a_reactor_are_no_statements_of_its_body() -> None:
    (reactor,) = keeping().reactors
    assert [gate.source for gate in reactor.requires] == ["grams > 0"]
    assert [type(item) for item in reactor.body] == [st.Assign]


def test_an_event_of_another_context_is_heard_by_where_it_is_declared() -> None:
    (selling,) = program("HoneyShop").workflows
    assert [item.event for item in selling.starters] == [Ref(context="BeeYard", name="HoneyTaken")]
    assert (selling.event_sourced, printed(selling.starters[0].key)) == (True, "taken.HTTPHive")


def test_an_event_log_has_commands_that_emit_and_folds_that_assign() -> None:
    (jar,) = program("HoneyShop").aggregates
    assert jar.event_sourced and jar.create is not None
    assert [type(item) for item in jar.create.body] == [st.Emit]
    (applier,) = jar.appliers
    assert (applier.event.name, applier.parameter) == ("JarFilled", "filled")
    assert [item.path for item in applier.body if isinstance(item, st.Assign)] == [("grams",)]


def test_resources_are_called_with_messages_of_their_own() -> None:
    get, put, *_ = keeping().creates[0].body
    assert isinstance(get, st.UseResource) and isinstance(put, st.UseResource)
    assert (get.bind, get.verb, get.answers) == ("before", "get", OptionalType(of=JSON))
    message = put.arguments[1]
    assert isinstance(message, st.MessageObject)
    assert [item.name for item in message.fields] == ["grams", "all"]
    assert isinstance(message.fields[1].value, st.MessageList)


def test_what_is_left_for_later_keeps_its_order() -> None:
    later = keeping().creates[0].body[2:]
    assert [type(item) for item in later] == [st.AfterCommit, st.Enqueue, st.Enqueue]
    queued = [item for item in later if isinstance(item, st.Enqueue)]
    assert [(item.target.name, item.workflow, item.entry) for item in queued] == [
        ("keeping", True, "later"),
        ("Forget", False, ""),
    ]
