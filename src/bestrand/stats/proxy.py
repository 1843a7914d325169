"""Small networks from subset scores to the full score: one linear layer, or a perceptron."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np

from bestrand.rng import Stream
from bestrand.stats.source_scores import Split, one_thread
from bestrand.types import FloatArray


ProxyKind = Literal["linear", "mlp"]
RATE = 5e-4
WIDTHS = (128, 64, 32)
DROPOUT = 0.1


class Effort(NamedTuple):
    """How long a proxy is trained.

    Attributes:
        n_epochs: at most, each over all training models at once.
        check_every: epochs between looks at the validation models.
        patience: looks without a better one after which to stop.
    """

    n_epochs: int
    check_every: int
    patience: int


class Proxy(Protocol):
    """A function from scores on the subset to the full score."""

    def predict(self, x: FloatArray) -> FloatArray:
        """Predict full scores from (T, n) scores; (T,)."""

    def importance(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Return the mean size of each input's gradient of the squared error; (n,)."""

    def step(self, x: FloatArray, y: FloatArray) -> None:
        """Train for one epoch."""

    def weights(self) -> Any:  # noqa: ANN401
        """Copy what was learned so far."""

    def restore(self, weights: Any) -> None:  # noqa: ANN401
        """Go back to such a copy."""


@contextmanager
def training(kind: ProxyKind) -> Iterator[None]:
    """Train on one thread, and leave torch's own chance as it was.

    Raises:
        ImportError: the kind is "mlp", and torch is not there.
    """
    if kind == "linear":
        with one_thread():
            yield
        return
    torch = import_module("torch")
    n_threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with one_thread(), torch.random.fork_rng(devices=[]):
            yield
    finally:
        torch.set_num_threads(n_threads)


def fit_proxy(
    kind: ProxyKind, x: FloatArray, y: FloatArray, split: Split, effort: Effort, stream: Stream
) -> Proxy:
    """Train a proxy by Adam and keep what predicted the validation models best.

    Args:
        kind: "linear" or "mlp".
        x: (K, n) the sources' scores on the subset.
        y: (K,) their full scores.
        split: which to learn from and which to check on.
        effort: how long.
        stream: the chance.
    """
    proxy: Proxy = _Linear(x.shape[1]) if kind == "linear" else _Perceptron(x.shape[1], stream)
    held_x, held_y = x[split.validation], y[split.validation]

    def loss() -> float:
        return float(np.mean((proxy.predict(held_x) - held_y) ** 2))

    train_x, train_y = x[split.train], y[split.train]
    best, least, waited = proxy.weights(), loss(), 0
    for epoch in range(1, effort.n_epochs + 1):
        proxy.step(train_x, train_y)
        if epoch % effort.check_every:
            continue
        now = loss()
        if now < least:
            best, least, waited = proxy.weights(), now, 0
            continue
        waited += 1
        if waited == effort.patience:
            break
    proxy.restore(best)
    return proxy


class _Linear:
    """One linear layer, from the plain mean on; Adam written out."""

    def __init__(self, n: int) -> None:
        self._w = np.append(np.full(n, 1.0 / n), 0.0)  # the last is the intercept
        self._mean, self._square, self._epoch = np.zeros(n + 1), np.zeros(n + 1), 0

    def predict(self, x: FloatArray) -> FloatArray:
        return np.asarray(x @ self._w[:-1] + self._w[-1])

    def importance(self, x: FloatArray, y: FloatArray) -> FloatArray:
        return np.asarray(np.abs(self._w[:-1]) * np.abs(self.predict(x) - y).mean())

    def step(self, x: FloatArray, y: FloatArray) -> None:
        error = 2.0 / len(y) * (self.predict(x) - y)
        gradient = np.append(error @ x, error.sum())
        self._epoch += 1
        self._mean = 0.9 * self._mean + 0.1 * gradient
        self._square = 0.999 * self._square + 0.001 * gradient**2
        size = np.sqrt(self._square / (1.0 - 0.999**self._epoch)) + 1e-8
        self._w = self._w - RATE * self._mean / (1.0 - 0.9**self._epoch) / size

    def weights(self) -> FloatArray:
        return self._w

    def restore(self, weights: FloatArray) -> None:
        self._w = weights


class _Perceptron:
    """n - 128 - 64 - 32 - 1 with GELU, dropout and a sigmoid at the end, in torch."""

    def __init__(self, n: int, stream: Stream) -> None:
        torch: Any = import_module("torch")
        torch.manual_seed(int(stream.words(0, 1)[0]))
        layers: list[Any] = []
        for width_in, width_out in zip((n, *WIDTHS), WIDTHS, strict=False):
            layers += [torch.nn.Linear(width_in, width_out), torch.nn.GELU()]
            layers += [torch.nn.Dropout(DROPOUT)]
        self._torch = torch
        self._net = torch.nn.Sequential(*layers, torch.nn.Linear(WIDTHS[-1], 1), torch.nn.Sigmoid())
        self._adam = torch.optim.Adam(self._net.parameters(), lr=RATE)

    def _forward(self, x: Any) -> Any:  # noqa: ANN401
        return self._net(x)[:, 0]

    def predict(self, x: FloatArray) -> FloatArray:
        self._net.eval()
        with self._torch.no_grad():
            return np.asarray(self._forward(self._tensor(x)).numpy(), dtype=np.float64)

    def importance(self, x: FloatArray, y: FloatArray) -> FloatArray:
        self._net.eval()
        inputs = self._tensor(x).requires_grad_()
        self._loss(inputs, y).backward()
        return np.asarray(inputs.grad.abs().mean(dim=0).numpy(), dtype=np.float64)

    def step(self, x: FloatArray, y: FloatArray) -> None:
        self._net.train()
        self._adam.zero_grad()
        self._loss(self._tensor(x), y).backward()
        self._adam.step()

    def weights(self) -> Any:  # noqa: ANN401
        return {name: value.clone() for name, value in self._net.state_dict().items()}

    def restore(self, weights: Any) -> None:  # noqa: ANN401
        self._net.load_state_dict(weights)

    def _tensor(self, values: FloatArray) -> Any:  # noqa: ANN401
        return self._torch.tensor(values, dtype=self._torch.float32)

    def _loss(self, x: Any, y: FloatArray) -> Any:  # noqa: ANN401
        return self._torch.nn.functional.mse_loss(self._forward(x), self._tensor(y))
