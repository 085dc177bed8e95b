"""A thin client of Label Studio: its failures are one sentence, its answers plain values."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from http import HTTPStatus
from pathlib import Path
from typing import Any

from annotation.errors import StudioError

_PAGE = 500
_FIELDS = "id,data,total_annotations,cancelled_annotations"
_ANSWERED = "id,data,annotations,result,completed_by,lead_time,was_cancelled,parent_prediction"


@dataclass(frozen=True)
class Task:
    """One task of a project, as far as this tool asks."""

    id: int
    item_id: str | None
    annotations: int
    """How many annotations it has, skipped ones included."""


class Studio:
    """A Label Studio at ``url``.

    ``token`` is a legacy token or a personal access token. ``files`` is a folder that the server serves as its local
    files document root; without it pictures travel inside the tasks.
    """

    def __init__(self, url: str, token: str, *, files: Path | None = None, timeout_s: float = 300) -> None:
        self.url = url.rstrip("/")
        self.files = files
        self._token = token
        self._timeout_s = timeout_s

    def __repr__(self) -> str:
        return f"Studio({self.url!r})"

    @cached_property
    def client(self) -> Any:
        """The ``label_studio_sdk`` client behind it."""
        from label_studio_sdk import LabelStudio

        return LabelStudio(base_url=self.url, api_key=self._token, timeout=self._timeout_s)

    @contextlib.contextmanager
    def _speaking(self, what: str) -> Iterator[Any]:
        import httpx
        from label_studio_sdk.core.api_error import ApiError

        try:
            yield self.client
        except (httpx.TransportError, httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
            raise StudioError(
                f"Label Studio does not answer at {self.url} ({type(error).__name__}) while {what}; start it with "
                "`lookbench services up`, or correct its address in the settings"
            ) from error
        except ApiError as error:
            if error.status_code in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
                raise StudioError(
                    f"Label Studio at {self.url} refuses the token while {what}; set LOOKBENCH_LABEL_STUDIO_TOKEN to a "
                    "token of an account there (Account & Settings)"
                ) from error
            body = json.dumps(error.body, default=str)[:400]
            raise StudioError(f"Label Studio at {self.url} refused {what}: HTTP {error.status_code} {body}") from error

    def check(self) -> str:
        """Return the e-mail of the token's account; raise StudioError when the server or the token is not good."""
        with self._speaking("signing in") as client:
            return str(client.users.whoami().email)

    def find_project(self, title: str) -> int | None:
        """Return the id of the project with exactly this title, None when there is none."""
        with self._speaking(f"looking for project {title!r}") as client:
            found = sorted(project.id for project in client.projects.list(title=title) if project.title == title)
        return int(found[0]) if found else None

    def create_project(self, title: str, config: str, *, description: str, instructions: str) -> int:
        """Create a project with a labelling template and return its id; ``instructions`` is HTML for annotators."""
        with self._speaking(f"creating project {title!r}") as client:
            project = client.projects.create(
                title=title,
                label_config=config,
                description=description,
                expert_instruction=instructions,
                show_collab_predictions=True,
            )
        return int(project.id)

    def template(self, project_id: int) -> str:
        """Return the labelling template of a project."""
        with self._speaking(f"reading project {project_id}") as client:
            return str(client.projects.get(id=project_id).label_config)

    def set_template(self, project_id: int, config: str) -> None:
        """Replace the labelling template of a project."""
        with self._speaking(f"updating the template of project {project_id}") as client:
            client.projects.update(id=project_id, label_config=config)

    def serve_folder(self, project_id: int, folder: Path) -> None:
        """Let a project show pictures of ``folder``, a folder below the server's document root."""
        with self._speaking(f"connecting the pictures of project {project_id}") as client:
            if any(Path(storage.path) == folder for storage in client.import_storage.local.list(project=project_id)):
                return
            client.import_storage.local.create(
                project=project_id, path=str(folder), title="LookBench pictures", use_blob_urls=True
            )

    def tasks(self, project_id: int) -> list[Task]:
        """Return all tasks of a project."""
        with self._speaking(f"listing the tasks of project {project_id}") as client:
            # Without `include` Label Studio reads project and counters anew for every task: a hundred times slower.
            pages = client.tasks.list(
                project=project_id, page_size=_PAGE, fields="task_only", include=_FIELDS, resolve_uri=False
            )
            found = [task.dict() for task in pages]
        return [
            Task(
                int(task["id"]),
                (task.get("data") or {}).get("item_id"),
                int(task.get("total_annotations") or 0) + int(task.get("cancelled_annotations") or 0),
            )
            for task in found
        ]

    def import_tasks(self, project_id: int, tasks: Sequence[Mapping[str, Any]]) -> int:
        """Import tasks with their predictions in one request and return how many came to be."""
        with self._speaking(f"importing {len(tasks)} tasks into project {project_id}") as client:
            return int(client.projects.import_tasks(project_id, request=list(tasks)).task_count)

    def accept(self, project_id: int, task_ids: Sequence[int]) -> None:
        """Make annotations of the predictions of these tasks; a prediction that has one already makes no second."""
        with self._speaking(f"accepting predictions of project {project_id}") as client:
            client.actions.create(
                id="predictions_to_annotations",
                project=project_id,
                selected_items={"all": False, "included": list(task_ids)},
            )

    def export(self, project_id: int) -> list[dict[str, Any]]:
        """Return every task of a project as ``{id, data, annotations}``, as Label Studio's JSON export has them.

        Read page by page: the export itself costs the server five times as much and one request for the whole project.
        """
        with self._speaking(f"reading the annotations of project {project_id}") as client:
            pages = client.tasks.list(
                project=project_id, page_size=_PAGE, fields="all", include=_ANSWERED, resolve_uri=False
            )
            return [task.dict() for task in pages]

    def accounts(self) -> dict[int, str]:
        """Return the e-mail of every account by its id."""
        with self._speaking("listing accounts") as client:
            return {int(user.id): str(user.email) for user in client.users.list()}
