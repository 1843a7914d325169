"""A real browser for pages: offline, and strict about what a page does."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest


if TYPE_CHECKING:
    from playwright.sync_api import Page


WAIT = 60_000


@contextmanager
def opened(path: Path, **context: Any) -> Iterator["Page"]:  # noqa: ANN401 - playwright's options
    """Open a page from disk with the network off; it may ask for itself alone and log no error.

    The test is skipped where there is no Playwright or no Chromium.
    """
    pytest.importorskip("playwright", reason="Playwright is not installed")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("no chromium on this machine")
    from playwright.sync_api import sync_playwright

    asked: list[str] = []
    errors: list[str] = []
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_context(offline=True, **context).new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on(
            "console",
            lambda said: errors.append(said.text) if said.type in ("error", "warning") else None,
        )
        page.route("**/*", lambda route: _file_alone(route))
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-drawn]", timeout=WAIT)
        yield page
        browser.close()

    assert [url for url in asked if not url.startswith(("file://", "data:", "blob:"))] == []
    assert errors == [], errors


def _file_alone(route: Any) -> None:  # noqa: ANN401 - playwright's route
    if route.request.url.startswith("file://"):
        route.continue_()
    else:
        route.abort()
