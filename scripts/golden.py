"""Record anew the numbers that tests/golden compares, with the reason why they change.

`python scripts/golden.py --reason "TEXT"` computes them, writes the files that differ, and adds the
reason and the names of what changed to CHANGELOG.md, under *Numbers changed*. Where nothing changed
it writes nothing. What is only new is written without a line there.
"""

import argparse
import sys
import textwrap
from pathlib import Path
from typing import Any


ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.golden import records  # noqa: E402


CHANGELOG = ROOT / "CHANGELOG.md"
HEADING = "### Numbers changed\n"
WIDTH = 180


def found_in(old: dict[str, Any], now: dict[str, Any]) -> list[records.Difference]:
    """List what differs from the records, with the tolerance of the tests."""
    found = []
    for name in [*old, *(name for name in now if name not in old)]:
        if name == records.KERNEL:
            continue
        one = {name: old[name]} if name in old else {}
        other = {name: now[name]} if name in now else {}
        near = records.tolerance(name, old.get(records.KERNEL), now[records.KERNEL])
        found += records.compare(one, other, near)
    return found


def names_of(found: list[records.Difference]) -> dict[str, list[str]]:
    """Name what changed, by file: designs, strategies, contracts; nothing that is only new."""
    named: dict[str, list[str]] = {}
    for difference in found:
        if difference.text == records.NEW:
            continue
        what, _, rest = difference.place.partition(" / ")
        if what not in ("designs", "estimates"):
            what, rest = "printed", what
        name = rest.partition(" / ")[0]
        if name not in named.setdefault(what, []):
            named[what].append(name)
    return named


def with_reason(changelog: str, reason: str, named: dict[str, list[str]]) -> str:
    """Give the change log with a line more under *Numbers changed*."""
    before, heading, after = changelog.partition(HEADING)
    if not heading:
        raise SystemExit(f"CHANGELOG.md has no heading {HEADING.strip()!r}. Add it.")
    section, mark, rest = after.partition("\n## ")
    what = "; ".join(f"{key}: {', '.join(names)}" for key, names in named.items())
    sentence = reason if reason.endswith((".", "!", "?")) else f"{reason}."
    line = textwrap.fill(
        f"- {sentence} Changed in {what}.",
        WIDTH,
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return f"{before}{heading}{section.rstrip()}\n{line}\n{mark}{rest}"


def main() -> int:
    """Compute, compare, and write what differs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--reason", required=True, help="why the numbers change, for CHANGELOG.md")
    reason = " ".join(parser.parse_args().reason.split())
    if not reason:
        parser.error("the reason is empty: say why the numbers change")
    old, now = records.recorded(), records.made_now()
    found = found_in(old, now)
    if not found:
        print("Nothing changed, so nothing is written.")
        return 0
    for difference in found:
        print(f"{difference.place}: {difference.text}")
    named = names_of(found)
    if named:
        text = with_reason(CHANGELOG.read_text(encoding="utf-8"), reason, named)
        CHANGELOG.write_text(text, encoding="utf-8")
    for name in old.keys() - now.keys():
        records.path_of(name).unlink()
    for name, value in now.items():
        path = records.path_of(name)
        path.parent.mkdir(exist_ok=True)
        path.write_text(records.dumped(value), encoding="utf-8")
    print(f"Written to {records.FOLDER.relative_to(ROOT)}" + (" and CHANGELOG.md" * bool(named)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
