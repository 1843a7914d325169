"""The JSON Schemas of all that is printed or written, by verb."""

from typing import Any

from pydantic import BaseModel

from bestrand.core.estimates import DifferenceTable, EstimateTable
from bestrand.core.summary import Summary
from bestrand.data.demo import Demo
from bestrand.planning.backtest import Backtest
from bestrand.planning.diagnosis import Diagnosis
from bestrand.planning.plan import Plan
from bestrand.planning.suite import SuitePlan
from bestrand.record import Record
from bestrand.reporting.json.study import StudyReport
from bestrand.reporting.json.subset import SubsetReport
from bestrand.reporting.worth import PrintedManifest
from bestrand.steps.export import Exported
from bestrand.steps.verify import Verification


CONTRACTS: dict[str, type[BaseModel] | type[Record]] = {
    "manifest": PrintedManifest,
    "read": Summary,
    "estimate": EstimateTable,
    "compare": DifferenceTable,
    "verify": Verification,
    "export": Exported,
    "diagnose": Diagnosis,
    "plan": Plan,
    "suite": SuitePlan,
    "backtest": Backtest,
    "demo": Demo,
    "study": StudyReport,
    "report": SubsetReport,
}


def schema_of(name: str) -> dict[str, Any]:
    """Return the JSON Schema of what a verb prints, or of a manifest."""
    contract = CONTRACTS[name]
    if issubclass(contract, Record):
        schema = contract.json_schema()
    else:
        schema = contract.model_json_schema(mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
