"""What contracts that are no records share."""

import math
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict


def _null_if_unknown(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else float(value)


MaybeNumber = Annotated[float | None, BeforeValidator(_null_if_unknown)]


class Contract(BaseModel):
    """An object that a verb prints; fields beyond those named do not occur."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    def to_json(self) -> str:
        """Return the object as JSON text, indented."""
        return self.model_dump_json(indent=1)
