"""What `scaffoldHandlers` and `scaffoldApi` stand for."""

from __future__ import annotations

from loom.ir.statements import CreateInstance, Delete, IfLet, Invoke, Load, Return
from loom.parse import parse
from tests.kit.lowering import Lowered, lower_files

MODEL = """system TrainYard {
  subdomain Shunting {
    context TrainSheds with scaffoldHandlers {
      aggregate HTTPShed with crudish {
        class: string
        isOpen: bool
        secretName: string secret
        derived label: string = class + "!"
        operation close(order: int = 3) { isOpen := order > 3 }
        operation isFull(): bool { return isOpen }
        private operation note() { isOpen := true }
      }
      repository HTTPSheds for HTTPShed { find named(class: string): HTTPShed? }
    }
  }
  api YardApi with scaffoldApi(of: Shunting) { route GET "/sheds" -> TrainSheds.handleGetHTTPShed }
}"""


def lowered() -> Lowered:
    model = lower_files({"model.ddd": parse("model.ddd", MODEL.encode()).ast})
    assert model.diagnostics() == []
    return model


def test_everything_that_can_be_done_has_a_message_and_a_handler() -> None:
    context = lowered().context("TrainSheds").context
    assert {item.name: [field.name for field in item.fields] for item in context.records} == {
        "CreateHTTPShed": ["class", "isOpen", "secretName"],
        "CloseHTTPShed": ["httpShedId", "order"],
        "IsFullHTTPShed": ["httpShedId"],
        "UpdateHTTPShed": ["httpShedId", "class", "isOpen", "secretName"],
        "DestroyHTTPShed": ["httpShedId"],
        "HTTPShedResponse": ["id", "class", "isOpen", "label"],
        "GetHTTPShed": ["httpShedId"],
        "NamedHTTPShed": ["class"],
    }
    assert {item.name: [type(step) for step in item.body or ()] for item in context.handlers} == {
        "handleCreateHTTPShed": [CreateInstance, Return],
        "handleCloseHTTPShed": [Load, Invoke],
        "handleIsFullHTTPShed": [Load, Invoke, Return],
        "handleUpdateHTTPShed": [Load, Invoke],
        "handleDestroyHTTPShed": [Load, Delete],
        "handleGetHTTPShed": [Load, Return],
        "handleNamedHTTPShed": [IfLet],
    }
    assert [item.name for item in context.handlers if item.query] == ["handleGetHTTPShed", "handleNamedHTTPShed"]


def test_every_handler_has_a_route_and_a_written_one_is_not_doubled() -> None:
    system = lowered().system
    assert system is not None
    routes = [(item.method, item.path) for item in system.system.apis[0].routes]
    assert routes[0] == ("GET", "/sheds")
    assert ("POST", "/train_sheds/handle_create_http_shed") in routes
    assert ("GET", "/train_sheds/handle_named_http_shed") in routes
    assert len(routes) == len({item.handler for item in system.system.apis[0].routes}) == 7
    assert system.system.apis[0].subdomain == "Shunting"
