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
A4_WIDTH = 680  # pixels between margins of 15 mm
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


TURNED = "turned \u202e name"
# closes the isolate in which it stands, then turns what follows
ESCAPING = "closed \u2069\u2069\u202e name"


def turned_around(page: "Page") -> list[str]:
    """Give what stands beside a name with an override, and does not run from left to right."""
    found: list[str] = page.evaluate(
        """() => {
            const leftward = (node) => {
                const range = document.createRange();
                let before = null;
                for (let i = 0; i < node.data.length; i++) {
                    range.setStart(node, i);
                    range.setEnd(node, i + 1);
                    const box = range.getBoundingClientRect();
                    if (box.width === 0) continue;
                    if (before && before.top === box.top && box.left < before.left) return true;
                    before = box;
                }
                return false;
            };
            const wrong = [];
            for (const part of document.querySelectorAll("h1, h3, p, figcaption, dd, td, li")) {
                if (!part.textContent.includes("\\u202e")) continue;
                const texts = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
                while (texts.nextNode()) {
                    const node = texts.currentNode;
                    if (!node.parentElement.closest("bdi") && leftward(node)) wrong.push(node.data);
                }
            }
            return wrong;
        }"""
    )
    return found


def beyond_the_paper(page: "Page", width: int) -> list[str]:
    """Lay a page out for print on paper of this width, tables open, and name what is wider.

    The window stays as it is, as it does when a browser prints: no chart is told of a new width.
    """
    page.evaluate("for (const more of document.querySelectorAll('details')) more.open = true")
    page.emulate_media(media="print")
    page.evaluate(f"document.body.style.width = '{width}px'")
    found: list[str] = page.evaluate(
        """() => {
            const edge = document.body.getBoundingClientRect().right + 0.5;
            return [...document.querySelectorAll("svg, table, td, th, p, dl, h1, h2, h3")]
                .filter((part) => part.getBoundingClientRect().right > edge)
                .map((part) => `${part.tagName} ${part.closest("figure")?.id}`);
        }"""
    )
    return found


def _file_alone(route: "Route") -> None:
    if route.request.url.startswith("file://"):
        route.continue_()
    else:
        route.abort()
