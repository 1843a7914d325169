"""Harbor: the chosen tasks as a job configuration."""

import glob
from typing import ClassVar, final

from bestrand.harnesses.base import FOLDER, Export, Harness, Selection
from bestrand.harnesses.values import json_file


@final
class Harbor(Harness):
    """The configuration of a job, as `harbor run -c FILE` takes it."""

    name: ClassVar[str] = "harbor"
    title: ClassVar[str] = "Harbor"
    versions: ClassVar[str] = "0.26.0"

    def export(self, chosen: Selection) -> Export:
        """Write a job with the tasks by name, escaped as patterns; see `Harness.export`."""
        names = [glob.escape(item) for item in chosen.ids]
        job = {
            "job_name": chosen.run_name,
            "datasets": [{"name": chosen.dataset or "DATASET", "task_names": names}],
        }
        command = ["harbor", "run", "-c", f"{FOLDER}/job.json", "-a", "AGENT", "-m", "MODEL"]
        return Export({"job.json": json_file(job)}, [command])
