"""All estimators, by the words that the command line and the study know."""

from bestrand.estimators.aipw import AIPW
from bestrand.estimators.base import Estimator
from bestrand.estimators.history_average import HistoryAverage
from bestrand.estimators.inverse_probability import Hajek, HorvitzThompson
from bestrand.estimators.mean import Mean
from bestrand.estimators.post_stratified import PostStratified
from bestrand.estimators.ppi import PPI
from bestrand.estimators.regression import Regression
from bestrand.estimators.shrunk import Shrunk


# word on the command line -> estimator
ESTIMATORS: dict[str, type[Estimator]] = {
    "aipw": AIPW,
    "hajek": Hajek,
    "history-average": HistoryAverage,
    "horvitz-thompson": HorvitzThompson,
    "mean": Mean,
    "post-stratified": PostStratified,
    "ppi": PPI,
    "regression": Regression,
    "shrunk": Shrunk,
}


def make_estimator(word: str | None) -> Estimator | None:
    """Make the estimator of a word on the command line; None of None."""
    return None if word is None else ESTIMATORS[word]()
