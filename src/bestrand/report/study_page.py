"""The page of a study."""

from bestrand.report.page import Page
from bestrand.study.table import StudyTable


def study_page(table: StudyTable) -> Page:
    """Make the page of a study."""
    return Page(table.protocol.name, (), ())
