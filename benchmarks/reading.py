"""How long reading many logs takes, and how much memory, against json and pandas in one run.

Logs as lm-evaluation-harness writes them are generated: a folder a model, MMLU's 14 042 rows in
each. Both ways read the same files, in processes of their own, in turn; the least time and the
largest memory of each count.
"""

import argparse
import hashlib
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path


DATE = "2026-01-01T00-00-00.000000"
OURS = "import sys, bestrand as br; t = br.read_scores(sys.argv[1]); print(t.rows.height)"
OBVIOUS = """
import json, sys
from pathlib import Path
import pandas
frames = []
for path in sorted(Path(sys.argv[1]).glob("*/samples_*.jsonl")):
    frame = pandas.DataFrame([json.loads(line) for line in path.open(encoding="utf-8")])
    frame["model"] = path.parent.name
    frames.append(frame)
table = pandas.concat(frames)[["model", "doc_id", "acc", "doc_hash"]]
print(len(table))
"""


WATCHED = """
import resource, subprocess, sys
done = subprocess.run([sys.executable, "-c", *sys.argv[1:]], capture_output=True, text=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024, done.stdout, done.stderr)
"""


def write_logs(folder: Path, n_models: int, n_rows: int) -> None:
    """Write a log a model; answers are drawn from one seed."""
    rng = random.Random(0)
    words = ["which", "of", "these", "is", "true", "about", "cells", "law", "prime", "river"]
    docs = []
    for _ in range(n_rows):
        question = " ".join(rng.choices(words, k=30))
        doc = {"question": question, "choices": ["a", "b", "c", "d"], "answer": rng.randrange(4)}
        text = json.dumps(doc, indent=2, ensure_ascii=False)
        docs.append((doc, hashlib.sha256(text.encode()).hexdigest()))
    for k in range(n_models):
        place = folder / f"org__model-{k:03d}"
        place.mkdir()
        with (place / f"samples_mmlu_{DATE}.jsonl").open("w", encoding="utf-8") as file:
            for doc_id, (doc, digest) in enumerate(docs):
                row = {
                    "doc_id": doc_id,
                    "doc": doc,
                    "target": doc["answer"],
                    "arguments": {"gen_args_0": {"arg_0": doc["question"], "arg_1": " a"}},
                    "resps": [[["-1.5", "False"]]] * 4,
                    "filtered_resps": [["-1.5", "False"]] * 4,
                    "filter": "none",
                    "metrics": ["acc"],
                    "doc_hash": digest,
                    "prompt_hash": digest,
                    "target_hash": digest,
                    "acc": float(rng.random() < 0.6),
                }
                file.write(json.dumps(row) + "\n")


def measure(code: str, folder: Path) -> tuple[float, float, str]:
    """Run a way of reading; return seconds, MiB at most, and what it printed."""
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, code, str(folder)],
        check=True,
        capture_output=True,
        text=True,
    )
    seconds = time.perf_counter() - start
    peak, _, printed = done.stdout.partition(" ")
    return seconds, float(peak), printed.strip()


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--models", type=int, default=100, help="how many logs")
    parser.add_argument("--rows", type=int, default=14_042, help="rows of each")
    parser.add_argument("--rounds", type=int, default=2, help="how often each way runs")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_logs(folder, args.models, args.rows)
        size = sum(path.stat().st_size for path in folder.rglob("*.jsonl")) / 2**20
        print(f"{args.models} logs of {args.rows} rows, {size:.0f} MiB")
        found: dict[str, list[tuple[float, float, str]]] = {"bestrand": [], "json + pandas": []}
        for _ in range(args.rounds):
            found["bestrand"].append(measure(OURS, folder))
            found["json + pandas"].append(measure(OBVIOUS, folder))
    least = {way: min(run[0] for run in runs) for way, runs in found.items()}
    most = {way: max(run[1] for run in runs) for way, runs in found.items()}
    for way, runs in found.items():
        print(f"{way}: {least[way]:.1f} s, {most[way]:.0f} MiB, rows {runs[0][2]}")
    ours, other = found
    print(f"time {least[ours] / least[other]:.2f}, memory {most[ours] / most[other]:.2f}")


if __name__ == "__main__":
    main()
