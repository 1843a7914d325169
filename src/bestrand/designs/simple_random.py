"""Simple random sampling: every subset of n items equally likely."""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from bestrand.designs.base import Design, Draw, Features
from bestrand.rng import Stream
from bestrand.search.draws import draw_candidate


@final
@dataclass(frozen=True, slots=True)
class SimpleRandom(Design):
    """Draw n items without replacement, every subset equally likely; no score is looked at.

    References:
        Cochran, W. G. (1977). Sampling Techniques, 3rd ed., ch. 2. Wiley.
    """

    word: ClassVar[str] = "random"

    def draw(self, features: Features, n: int, stream: Stream) -> Draw:
        """Choose n items; see `Design.draw`."""
        columns = draw_candidate(stream, 0, features.n_items, n)
        return Draw(columns, inclusion=np.full(n, n / features.n_items))
