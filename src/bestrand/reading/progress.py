"""How far reading is, for whoever listens."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path


Listener = Callable[[Path], None]

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Call `listener` with the path of each file that is read inside the block, before it is."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def tell(path: Path) -> None:
    """Tell whoever listens that a file is about to be read."""
    listener = _listener.get()
    if listener is not None:
        listener(path)
