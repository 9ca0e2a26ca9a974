"""Who may do what, and whose rows are seen, as conditions: nothing of permissions or policies is left to targets."""

from __future__ import annotations

import pytest

from loom.ir.access import Stance
from loom.ir.expressions import Arithmetics, Call, Claim, Compare, Expr, Field, Literal, Logical
from loom.ir.program import Aggregate
from loom.ir.statements import Assign
from loom.parse import parse
from tests.kit.lowering import Lowered, lower_files


def lowered(text: str) -> Lowered:
    model = lower_files({"model.ddd": parse("model.ddd", text.encode()).ast})
    assert model.diagnostics() == []
    return model


def said(e: Expr) -> str:
    """The few kinds of expressions that conditions about callers consist of."""
    match e:
        case Logical(op=op, operands=operands):
            return f" {op} ".join(map(said, operands))
        case Compare(op=op, left=left, right=right):
            return f"{said(left)} {op} {said(right)}"
        case Arithmetics(op=op, operands=operands):
            return f" {op} ".join(map(said, operands))
        case Call(fn=fn, arguments=(receiver, argument)):
            return f"{said(receiver)}.{fn.value}({said(argument)})"
        case Claim(name=name):
            return f"currentUser.{name}"
        case Field(name=name):
            return name
        case Literal(text=text):
            return text
        case _:
            raise AssertionError(e)


def test_whoever_holds_a_permission_that_includes_it_passes() -> None:
    model = lowered(
        """system CargoPort {
          user { permissions: string[] }
          subdomain HeavyLifting {
            permissions { lift, order implies lift, runHTTPHost implies [order], look }
            context CargoYard {
              aggregate HTTPCrane {
                class: string
                operation lift() requires currentUser.permissions.contains(permissions.lift) {
                  class := permissions.look
                }
              }
            }
          }
        }"""
    )
    operation = model.context("CargoYard").context.aggregates[0].operations[0]
    assert said(operation.requires[0].condition) == " || ".join(
        f"currentUser.permissions.contains(heavylifting.{name})" for name in ("lift", "order", "runHTTPHost")
    )
    assert operation.requires[0].source == "currentUser.permissions.contains(permissions.lift)"


TENANTS = """system GrainStores {
  user { company: string }
  tenancy by user.company of GrainCompany
  context CompanyBooks {
    aggregate GrainCompany REGISTRY { class: string }
    aggregate GrainSilo with crudish, tenantOwned { order: int }
    aggregate GrainPrice crossTenant { order: int }
    POLICY
  }
}"""


def aggregates(registry: str, policy: str) -> dict[str, Aggregate]:
    model = lowered(TENANTS.replace("REGISTRY", registry).replace("POLICY", policy))
    return {item.name: item for item in model.context("CompanyBooks").context.aggregates}


OWN = "tenantId == currentUser.company"
BELOW = "dataKey == currentUser.orgPath || dataKey.startsWith(currentUser.orgPath + /)"


@pytest.mark.parametrize(
    ("policy", "read", "write"),
    [
        ("", OWN, OWN),
        ("policy { allow deep on GrainSilo }", BELOW, OWN),
        ("policy { allow deep on GrainSilo allow write deep on GrainSilo }", BELOW, BELOW),
        ("policy { allow global on GrainSilo }", BELOW.replace("orgPath", "rootOrg"), OWN),
        ("policy { deny on GrainSilo }", "false", OWN),
        ("policy Frozen { deny write on GrainSilo }", OWN, "false"),
    ],
)
def test_policies_say_how_far_rows_are_seen(policy: str, read: str, write: str) -> None:
    silo = aggregates("with tenantRegistry", policy)["GrainSilo"]
    assert [said(item.condition) for item in silo.filters] == [read]
    assert silo.writable is not None and said(silo.writable) == write


def test_rows_note_their_tenant_when_they_are_made() -> None:
    found = aggregates("with tenantRegistry", "")
    assert {name: item.stance for name, item in found.items()} == {
        "GrainCompany": Stance.REGISTRY,
        "GrainSilo": Stance.OWNED,
        "GrainPrice": Stance.SHARED,
    }
    create = found["GrainSilo"].create
    assert create is not None
    paths = [item.path for item in create.body if isinstance(item, Assign)]
    assert paths == [("order",), ("tenantId",), ("dataKey",)]
    assert found["GrainPrice"].filters == () and found["GrainPrice"].writable is None
    assert [item.name for item in found["GrainCompany"].properties] == ["class", "parent", "dataKey"]


def test_without_a_tree_rows_note_their_tenant_alone() -> None:
    create = aggregates("", "")["GrainSilo"].create
    assert create is not None
    assert [item.path for item in create.body if isinstance(item, Assign)] == [("order",), ("tenantId",)]


def test_a_system_says_who_its_callers_are_and_who_says_so() -> None:
    model = lowered(
        """system CargoPort {
          user { id: guid role: string }
          auth {
            provider: keycloak
            oidc { issuer: env("ISSUER"), clientId: "cargo", scopes: ["openid", "email"] }
            sessions: cookie
            claims: { role: "realm.role", id: "sub" }
            enforcement: denyByDefault
          }
          subdomain HeavyLifting { permissions { lift, order implies lift } context CargoYard { } }
          deployable YardService { platform: python contexts: [CargoYard] auth: required }
          deployable OpenService { platform: node contexts: [CargoYard] }
        }"""
    )
    assert model.system is not None
    system, auth = model.system.system, model.system.system.auth
    assert auth is not None and system.user is not None
    assert [item.name for item in system.user] == ["id", "role"]
    assert (auth.provider, auth.sessions.value, auth.default_deny) == ("keycloak", "cookie", True)
    assert [(item.name, item.texts, item.variable) for item in auth.credentials] == [
        ("issuer", (), "ISSUER"),
        ("clientId", ("cargo",), ""),
        ("scopes", ("openid", "email"), ""),
    ]
    assert auth.claims == (("role", "realm.role"), ("id", "sub"))
    assert [(item.name, item.givers) for item in system.subdomains[0].permissions] == [
        ("lift", ("heavylifting.lift", "heavylifting.order")),
        ("order", ("heavylifting.order",)),
    ]
    assert [item.authenticated for item in system.deployables] == [True, False]
