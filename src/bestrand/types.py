"""Names for the arrays and choices that appear in many signatures."""

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray


FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]

Norm: TypeAlias = Literal["l1", "l2", "linf"]
Weighting: TypeAlias = Literal["micro", "macro", "explicit"]
Missing: TypeAlias = Literal["error", "zero", "omit"]
Status: TypeAlias = Literal["scored", "errored", "unscored"]
Verdict: TypeAlias = Literal["better", "worse", "unresolved"]
