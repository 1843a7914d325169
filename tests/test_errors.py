"""The error tree."""

import pickle
from pathlib import Path

import pytest

import bestrand as br


def test_every_error_derives_from_the_root_and_from_a_builtin() -> None:
    kinds = [br.ArgumentError, br.InputError, br.FileError, br.ManifestError]
    kinds += [br.DesignError, br.EstimateError]

    assert all(issubclass(kind, br.BestrandError) for kind in kinds)
    assert all(issubclass(kind, ValueError) for kind in kinds)
    assert issubclass(br.OutputError, br.BestrandError)
    assert issubclass(br.OutputError, OSError)
    assert issubclass(br.WorkerError, br.BestrandError)


def test_a_file_error_names_the_place() -> None:
    error = br.FileError("not JSON.", path=Path("a.jsonl"), line=7)

    assert str(error) == "a.jsonl:7: not JSON."
    assert (error.path, error.line) == (Path("a.jsonl"), 7)


@pytest.mark.parametrize(
    "error",
    [br.FileError("odd.", path=Path("a.csv"), line=2), br.InputError("clash", items=["x"])],
)
def test_errors_cross_to_another_process_whole(error: br.InputError) -> None:
    again = pickle.loads(pickle.dumps(error))

    assert (type(again), str(again), again.facts) == (type(error), str(error), error.facts)
