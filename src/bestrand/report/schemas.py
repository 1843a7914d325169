"""The contracts by name, and their JSON Schemas."""

from typing import Any

from pydantic import BaseModel

from bestrand.manifest import Manifest
from bestrand.report.contracts import (
    CompareReport,
    DemoReport,
    DiagnoseReport,
    EstimateReport,
    ReadReport,
    VerifyReport,
)
from bestrand.report.study_contracts import StudyReport


CONTRACTS: dict[str, type[BaseModel]] = {
    "manifest": Manifest,
    "read": ReadReport,
    "estimate": EstimateReport,
    "compare": CompareReport,
    "verify": VerifyReport,
    "diagnose": DiagnoseReport,
    "demo": DemoReport,
    "study": StudyReport,
}


def schema_of(name: str) -> dict[str, Any]:
    """Give the JSON Schema of what a verb prints, or of a manifest."""
    schema = CONTRACTS[name].model_json_schema(mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
