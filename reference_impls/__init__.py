"""Published algorithms, one file each, jitted; what five papers claim of them; published and historical bugs."""

from __future__ import annotations

from dpverify.core.registry import registers

register = registers(
    __name__,
    {
        "papers/*/claims.toml": "dpverify.ledger.claims_file:load_claims",
        "papers/*/objections.toml": "dpverify.ledger.objections_file:load_objections",
        "papers/*/experiments/*.toml": "dpverify.utility.experiment_file:load_experiment",
    },
)
