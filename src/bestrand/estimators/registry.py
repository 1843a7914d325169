"""All estimators, by the words that the command line and the study know."""

from bestrand.estimators.base import Estimator
from bestrand.estimators.mean import Mean
from bestrand.estimators.regression import Regression


# word on the command line -> estimator
ESTIMATORS: dict[str, type[Estimator]] = {
    "mean": Mean,
    "regression": Regression,
}
