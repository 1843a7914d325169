"""A figure of a page: a chart, a table or both, with what a reader needs to judge it."""

import base64
import csv
import io
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from bestrand.reporting.charts.style import Cell, Row, plain


if TYPE_CHECKING:
    from bestrand.reporting.charts.style import Chart


MOST_ROWS = 300
# how a formula begins, also in full width and after blanks, which spreadsheets take away (OWASP,
# "CSV Injection"); a number is no text and stays as it is
FORMULA = re.compile(r"\s*[=+\-@＝＋－＠]|[\t\r\n]")
Show = Literal["table", "folded"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes:
        key: its name in the rows and in the CSV file.
        label: its head.
        digits: digits after the point; None for text and whole numbers.
    """

    key: str
    label: str
    digits: int | None = None

    def shown(self, row: Row) -> str:
        """Write the cell of a row; a dash where nothing is known."""
        value = plain(row.get(self.key))
        if value is None:
            return "–"
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, str) or self.digits is None:
            return str(value)
        return f"{value:.{self.digits}f}"

    def sortable(self, row: Row) -> Cell:
        """Return what the cell is sorted by: the number itself, not as it is rounded."""
        return plain(row.get(self.key))


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart or a table, its caption, and the rows behind it.

    Attributes:
        key: lower-case words joined by hyphens; the anchor, and the name of its files.
        title: in a few words.
        caption: what is seen, and how to read it.
        n: what it rests on, as "60 items, 6 targets".
        error: how wrong it can be: Monte Carlo error, or what the intervals are.
        columns: of the table, in order; the CSV file has the same.
        rows: what the chart is drawn from.
        chart: the chart, or None where the table says it all.
        show: whether the table is open or folded under the chart.
    """

    key: str
    title: str
    caption: str
    n: str
    error: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    chart: "Chart | None" = field(default=None, compare=False)
    show: Show = "folded"

    @property
    def shown_rows(self) -> tuple[Row, ...]:
        """The rows of the table on the page; the CSV file has all."""
        return self.rows[:MOST_ROWS]

    def is_number(self, column: Column) -> bool:
        """Whether a column holds numbers, as far as it is known."""
        cells = [plain(row.get(column.key)) for row in self.rows]
        return any(isinstance(cell, int | float) for cell in cells) and not any(
            isinstance(cell, str) for cell in cells
        )

    def to_csv(self) -> str:
        """Return the rows as CSV text, numbers in full; empty where nothing is known.

        Text that a spreadsheet would run as a formula has an apostrophe before it.
        """
        text = io.StringIO()
        writer = csv.writer(text)  # lines end as RFC 4180 says, so that "\r" in a name is quoted
        writer.writerow([column.key for column in self.columns])
        for row in self.rows:
            writer.writerow([_inert(plain(row.get(column.key))) for column in self.columns])
        return text.getvalue()

    @property
    def csv_link(self) -> str:
        """The CSV file as a `data:` address, which needs no network."""
        content = base64.b64encode(self.to_csv().encode("utf-8", "replace")).decode("ascii")
        return f"data:text/csv;charset=utf-8;base64,{content}"


def _inert(cell: Cell) -> Cell:
    """Keep a spreadsheet from running text."""
    return f"'{cell}" if isinstance(cell, str) and FORMULA.match(cell) else cell
