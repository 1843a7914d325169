"""Kinds of files that are no tables for us: known by their first bytes, and refused by name."""

import io
import zipfile
from pathlib import Path
from typing import NamedTuple

from bestrand.errors import FileError
from bestrand.notes import shown


class Foreign(NamedTuple):
    """A kind of file, by the bytes that stand at a place in it."""

    magic: bytes
    name: str
    advice: str
    at: int = 0


PARQUET = "Save the table as Parquet or CSV"
FROM_PYTHON = f"{PARQUET} from Python"
UNPACK = "Unpack it, and give the tables in it."
PICTURE = "Give the table that it was drawn from."

FOREIGN = (
    Foreign(
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "an Excel workbook of the old kind (.xls)",
        "Save the sheet as CSV.",
    ),
    Foreign(
        b"SQLite format 3\0",
        "an SQLite database",
        "Save the table with the scores as CSV: sqlite3 -csv -header FILE 'select * from TABLE'.",
    ),
    Foreign(b"DUCK", "a DuckDB database", "Save it: COPY TABLE TO 'scores.parquet'.", 8),
    Foreign(
        b"\x89HDF\r\n\x1a\n",
        "an HDF5 file",
        f"{FROM_PYTHON}: pandas.read_hdf(FILE).to_parquet('scores.parquet').",
    ),
    Foreign(b"\x93NUMPY", "an array of NumPy (.npy)", f"{FROM_PYTHON}, with the items' ids."),
    Foreign(b"FEA1", "a Feather file of version 1", f"{PARQUET}, or as Feather of version 2."),
    Foreign(b"Obj\x01", "an Avro file", f"{PARQUET}."),
    Foreign(b"PARE", "a Parquet file with an encrypted footer", "Save it without encryption."),
    *(
        Foreign(magic, "a file of R", f"{PARQUET} from R: write.csv(x, 'scores.csv').")
        for magic in (b"RDX2\n", b"RDX3\n", b"X\n\0\0")
    ),
    Foreign(b"MATLAB 5.0 MAT-file", "a file of MATLAB", f"{PARQUET}: writetable(T, 'scores.csv')."),
    *(Foreign(magic, "a file of SPSS", f"{PARQUET}.") for magic in (b"$FL2", b"$FL3")),
    Foreign(b"<stata_dta>", "a file of Stata", "Save it as CSV: export delimited scores.csv."),
    Foreign(b"\xc2\xea\x81\x60\xb3\x14\x11\xcf\xbd\x92", "a file of SAS", f"{PARQUET}.", 12),
    Foreign(b"%PDF-", "a PDF", PICTURE),
    *(
        Foreign(magic, "a picture", PICTURE)
        for magic in (b"\x89PNG\r\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a")
    ),
    Foreign(b"ustar", "a tar archive", UNPACK, 257),
    Foreign(b"7z\xbc\xaf\x27\x1c", "a 7z archive", UNPACK),
    Foreign(b"Rar!\x1a\x07", "a RAR archive", UNPACK),
    *(
        Foreign(
            magic,
            f"a file packed with {name}",
            "Unpack it, or pack it with gzip, zstd, bzip2 or xz.",
        )
        for magic, name in (
            (b"\x04\x22\x4d\x18", "lz4"),
            (b"\xff\x06\x00\x00sNaPpY", "snappy"),
            (b"\x1f\x9d", "compress (.Z)"),
            (b"LZIP\x01", "lzip"),
            (b"\x5d\0\0\x80\0", "LZMA of the old kind"),
        )
    ),
)
ZIPS = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
PICKLE = tuple(b"\x80" + bytes([protocol]) for protocol in (2, 3, 4, 5))


def require_known(content: bytes, path: Path) -> None:
    """Raise where content is of a well-known kind that holds no table for us.

    Raises:
        FileError: it is; the message names the kind, and what to do.
    """
    found = _foreign(content)
    if found is not None:
        raise FileError(f"{found.name}, which is not read here. {found.advice}", path=path)


def _foreign(content: bytes) -> Foreign | None:
    if content.startswith(ZIPS):
        return _zipped(content)
    if content.startswith(PICKLE) and content.rstrip(b"\0").endswith(b"."):
        return Foreign(
            b"",
            "a pickle",
            f"Nothing is unpickled here, for that runs the code in it. {FROM_PYTHON}: "
            "pandas.read_pickle(FILE).to_parquet('scores.parquet').",
        )
    if content.startswith(b"ORC") and content[-4:-1] == b"ORC":
        return Foreign(b"", "an ORC file", f"{PARQUET}.")
    return next((kind for kind in FOREIGN if _is(content, kind)), None)


def _is(content: bytes, kind: Foreign) -> bool:
    """Whether the bytes are there; letters alone could begin a text, and text holds no NUL."""
    there = content.startswith(kind.magic, kind.at)
    return there and (not kind.magic.isascii() or b"\0" in content)


def _zipped(content: bytes) -> Foreign:
    """Tell what a zip archive is by the names in it."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError):
        names = []
    if any(name.startswith(("xl/", "xl\\")) for name in names):
        return Foreign(b"", "an Excel workbook", "Save the sheet as CSV.")
    if "content.xml" in names and "mimetype" in names:
        return Foreign(b"", "a spreadsheet of LibreOffice", "Save the sheet as CSV.")
    if "header.json" in names or "_journal/start.json" in names:
        return Foreign(
            b"",
            "a log of Inspect (.eval)",
            f"{PARQUET}: inspect_ai.analysis.samples_df(FILE) gives it.",
        )
    if names and all(name.endswith(".npy") for name in names):
        return Foreign(b"", "arrays of NumPy (.npz)", f"{FROM_PYTHON}, with the items' ids.")
    if any(name.endswith("data.pkl") for name in names):
        return Foreign(b"", "a file of PyTorch", f"{FROM_PYTHON}.")
    inside = f" (of {shown(names)})" if names else ""
    return Foreign(b"", f"a zip archive{inside}", UNPACK)
