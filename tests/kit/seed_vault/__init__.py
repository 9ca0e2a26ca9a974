"""A seed vault: one small context with every construct that a backend must emit, as IR, without a parser."""

from tests.kit.seed_vault.context import seed_vault
from tests.kit.seed_vault.names import CONTEXT, mine
from tests.kit.seed_vault.root import seed_vault_shared

__all__ = ["CONTEXT", "mine", "seed_vault", "seed_vault_shared"]
