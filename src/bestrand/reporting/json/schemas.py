"""The JSON Schemas of all that is printed or written, by verb."""

from typing import Any

from pydantic import BaseModel

from bestrand.reporting.json.estimates import (
    CompareReport,
    DemoReport,
    EstimateReport,
    ReadReport,
    VerifyReport,
)
from bestrand.reporting.json.planning import (
    BacktestReport,
    DiagnoseReport,
    PlanReport,
    SuiteReport,
)
from bestrand.reporting.json.study import StudyReport
from bestrand.reporting.json.subset import SubsetReport
from bestrand.reporting.worth import PrintedManifest


CONTRACTS: dict[str, type[BaseModel]] = {
    "manifest": PrintedManifest,
    "read": ReadReport,
    "estimate": EstimateReport,
    "compare": CompareReport,
    "verify": VerifyReport,
    "diagnose": DiagnoseReport,
    "plan": PlanReport,
    "suite": SuiteReport,
    "backtest": BacktestReport,
    "demo": DemoReport,
    "study": StudyReport,
    "report": SubsetReport,
}


def schema_of(name: str) -> dict[str, Any]:
    """Give the JSON Schema of what a verb prints, or of a manifest."""
    schema = CONTRACTS[name].model_json_schema(mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
