"""What can go wrong, as one tree.

```
BestrandError                    catch this one to catch them all
├── ArgumentError (ValueError)   a number or name given that can never be right
├── InputError    (ValueError)   scores, items or ids that do not fit together
│   └── FileError                a file that cannot be read; has `path` and `line`
├── ManifestError (ValueError)   a manifest that was edited, is too new, or fits another frame
├── DesignError   (ValueError)   a design that lacks what it needs to draw
├── EstimateError (ValueError)   scores from which no honest estimate can be made
├── OutputError   (OSError)      a place that cannot be written without losing something
└── WorkerError   (RuntimeError) workers or a cluster that went away while they computed
```

Every message says what must hold, what was got, and what to do. The facts are attributes too,
so that code need not read the text.
"""

from pathlib import Path
from typing import Any


class BestrandError(Exception):
    """The root of all errors that this library raises on purpose.

    Attributes:
        facts: what the message speaks of, by name.
    """

    facts: dict[str, Any]

    def __init__(self, message: str, **facts: Any) -> None:  # noqa: ANN401
        super().__init__(message)
        self.facts = facts


class ArgumentError(BestrandError, ValueError):
    """An argument that no data could make right, as `n=0` or `level=2`."""


class InputError(BestrandError, ValueError):
    """Scores, items or ids that cannot be used as they are."""


class FileError(InputError):
    """A file that cannot be read as scores or items.

    Attributes:
        path: the file, as it was given.
        line: the line, counted from 1, or None where a line cannot be named.
    """

    path: Path
    line: int | None

    def __init__(self, message: str, *, path: Path, line: int | None = None) -> None:
        place = f"{path}:{line}" if line is not None else f"{path}"
        super().__init__(f"{place}: {message}", path=path, line=line)
        self.path = path
        self.line = line

    def __reduce__(self) -> tuple[Any, ...]:
        """Cross to another process whole."""
        return _rebuild, (type(self), str(self), self.facts, self.path, self.line)


def _rebuild(
    kind: type[FileError], message: str, facts: dict[str, Any], path: Path, line: int | None
) -> FileError:
    error = kind.__new__(kind, message)
    error.args = (message,)
    error.facts, error.path, error.line = facts, path, line
    return error


class ManifestError(BestrandError, ValueError):
    """A manifest that is not what it says, or not meant for these items."""


class DesignError(BestrandError, ValueError):
    """A design that was not given what it needs."""


class EstimateError(BestrandError, ValueError):
    """Scores from which no honest estimate can be made."""


class OutputError(BestrandError, OSError):
    """An output that cannot be written without losing something."""


class WorkerError(BestrandError, RuntimeError):
    """Workers or a cluster that went away while they computed; what was finished is kept."""
