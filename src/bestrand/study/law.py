"""The law of the error beside Random's draws, all models of a benchmark being targets."""

import numpy as np
import polars as pl

from bestrand.rng import Stream
from bestrand.stats.tail import draw_mae, error_covariance, mean_correlation, shift_deviation
from bestrand.study.benchmark import Benchmark
from bestrand.study.columns import LAW
from bestrand.study.replicate import ReplicateSetting, run_replicate


PERCENTILES = np.arange(1, 100) / 100


def set_beside_law(benchmark: Benchmark, setting: ReplicateSetting, n_draws: int) -> pl.DataFrame:
    """Draw from the law of the MAE of n items, and draw that many simple random subsets.

    Item weights are left aside in the law, as in `stats.tail`.

    Returns:
        One row of `LAW`; errors in the metric's unit.
    """
    from scipy.stats import ks_2samp  # half a second, and only studies need it

    values = benchmark.matrices[setting.metric].values
    stream = Stream.of(setting.seed, "law", benchmark.name, f"{setting.n}")
    law = draw_mae(error_covariance(values, setting.n), stream)
    draws = np.sort([run_replicate(benchmark, setting, k).mae for k in range(n_draws)])
    row = {
        "models": len(values),
        "rho": mean_correlation(values),
        "sigma_c": shift_deviation(values, setting.n),
        "law_mean": float(law.mean()),
        "law_p95": float(np.quantile(law, 0.95)),
        "random_mean": float(draws.mean()),
        "random_p95": float(np.quantile(draws, 0.95)),
        "distance": float(ks_2samp(draws, law, method="asymp").statistic),
        "law": np.quantile(law, PERCENTILES).tolist(),
        "draws": draws.tolist(),
    }
    return pl.DataFrame([row], schema=LAW)
