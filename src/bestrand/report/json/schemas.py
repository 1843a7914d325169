"""The JSON Schemas of all that is printed or written, by verb."""

from typing import Any

from pydantic import BaseModel

from bestrand.report.json.estimates import (
    CompareReport,
    DemoReport,
    EstimateReport,
    ReadReport,
    VerifyReport,
)
from bestrand.report.json.planning import (
    BacktestReport,
    DiagnoseReport,
    PlanReport,
    SuiteReport,
)
from bestrand.report.json.study import StudyReport
from bestrand.report.json.subset import SubsetReport
from bestrand.report.worth import PrintedManifest


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
