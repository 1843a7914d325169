"""A real browser for pages: offline, and strict about what a page does."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest


if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route


WAIT = 60_000
Open = Callable[..., AbstractContextManager["Page"]]


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    """Start Chromium; tests are skipped where it or Playwright is not installed."""
    pytest.importorskip("playwright", reason="Playwright is not installed")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("no chromium on this machine")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        found = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture
def opened(browser: "Browser") -> Open:
    """Open a page from disk with the network off; it may ask for itself alone and log no error."""

    @contextmanager
    def call(path: Path, **settings: Any) -> Iterator["Page"]:  # noqa: ANN401 - playwright's
        asked: list[str] = []
        errors: list[str] = []
        context = browser.new_context(offline=True, **settings)
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on(
            "console",
            lambda said: errors.append(said.text) if said.type in ("error", "warning") else None,
        )
        page.route("**/*", _file_alone)
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-drawn]", timeout=WAIT)
        yield page
        context.close()

        assert [url for url in asked if not url.startswith(("file://", "data:", "blob:"))] == []
        assert errors == [], errors

    return call


def _file_alone(route: "Route") -> None:
    if route.request.url.startswith("file://"):
        route.continue_()
    else:
        route.abort()
