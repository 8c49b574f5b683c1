"""A pytest plugin that runs the vendor's tests of their own memory backends against memdir's.

It replaces the construction of the backend and the look into its folder, and nothing else. A test that cannot apply is
skipped with its reason, which `-rsx` prints. A test of what memdir does in another way must fail.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from anthropic.lib.tools import _beta_builtin_memory_tool as vendor
from anyio import Path as AsyncPath

from memdir_anthropic import MemdirAsyncMemoryTool, MemdirMemoryTool

PROGRAM = os.environ.get("MEMDIR_BIN", "memdir")
SUMMARY = re.compile(rb"\A> Summary: .*\r?\n\r?\n")
INSIDE = "it changes the vendor's code while that runs in the same process; memdir opens files relative to a directory"
LINKS = "memdir follows no link at all, also not one that stays inside"
NOT_APPLICABLE = {
    "test_mkdir_parents_not_world_writable_under_permissive_umask": "`memdir init` makes the directory, by the umask as git",
    "test_read_rejects_symlink_created_after_validation": INSIDE,
    "test_read_rejects_file_replaced_with_symlink_before_open": INSIDE,
    "test_view_rejects_directory_symlink_created_after_validation": INSIDE,
    "test_validate_path_returns_resolved_path_not_symlink_target": "it calls a private function of the vendor's backend",
    "test_view_lists_symlinks_only_when_they_stay_inside_memories": LINKS,
}
LAST_LINE = "memdir leaves the end of a file as it is; the vendor's backend ends its last line"
LINE_ENDINGS = "memdir inserts with the line ending of the file; the vendor's backend mixes LF into CRLF"
DIFFERENT = {
    "test_insert": LAST_LINE,
    "test_insert_at_beginning_of_file": LAST_LINE,
    "test_insert_at_end_of_file": LAST_LINE,
    "test_insert_preserves_crlf_line_endings": LINE_ENDINGS,
}


class StoredPath(type(Path())):  # type: ignore[misc]
    """Where memdir keeps what a test names: `notes.txt` is `facts/notes.txt.md`, with a summary line."""

    def __truediv__(self, name: Any) -> Path:
        path = super().__truediv__(name)
        is_stored = "facts" in path.parts and path.suffix not in ("", ".md")
        return StoredPath(f"{path}.md") if is_stored else path

    def read_bytes(self) -> bytes:
        return SUMMARY.sub(b"", super().read_bytes())


class Backend:
    """What the tests ask of a backend besides the tool: where its files are."""

    def __init__(self, base_path: str) -> None:
        self.base_path = Path(base_path)
        directory = self.base_path / "memories"
        subprocess.run([PROGRAM, "init", str(directory)], check=True, capture_output=True)
        (directory / "facts").mkdir(exist_ok=True)
        super().__init__("--dir", str(directory), program=PROGRAM)  # type: ignore[call-arg]


class SyncBackend(Backend, MemdirMemoryTool):
    @property
    def memory_root(self) -> Path:
        return StoredPath(self.base_path / "memories" / "facts")


class AsyncBackend(Backend, MemdirAsyncMemoryTool):
    @property
    def memory_root(self) -> AsyncPath:
        return AsyncPath(self.base_path / "memories" / "facts")


def directory_snapshot(base_path: str) -> dict[str, str]:
    facts = Path(base_path, "memories", "facts")
    files = [path for path in facts.rglob("*.md") if path.is_file()]
    text = {path: SUMMARY.sub(b"", path.read_bytes()).decode() for path in files}
    return {f"memories/{path.relative_to(facts).with_suffix('')}": text[path] for path in files}


vendor.BetaLocalFilesystemMemoryTool = SyncBackend  # type: ignore[misc, assignment]
vendor.BetaAsyncLocalFilesystemMemoryTool = AsyncBackend  # type: ignore[misc, assignment]


def pytest_collection_modifyitems(items: list[pytest.Function]) -> None:
    unknown = (NOT_APPLICABLE.keys() | DIFFERENT.keys()) - {item.originalname for item in items}
    assert not unknown, f"the vendor has no tests of these names: {unknown}"
    for item in items:
        item.module.get_directory_snapshot = directory_snapshot
        item.module.Path = StoredPath
        if reason := NOT_APPLICABLE.get(item.originalname):
            item.add_marker(pytest.mark.skip(reason=reason))
        if reason := DIFFERENT.get(item.originalname):
            item.add_marker(pytest.mark.xfail(raises=AssertionError, reason=reason, strict=True))


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
