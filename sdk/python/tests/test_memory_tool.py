"""The tool behind the vendor's own base class, as the SDK calls it."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from anthropic.lib.tools import ToolError

from conftest import PROGRAM
from memdir_anthropic import MemdirMemoryTool


@pytest.fixture
def tool(memory: Path) -> Iterator[MemdirMemoryTool]:
    with MemdirMemoryTool("--dir", str(memory), program=PROGRAM) as tool:
        yield tool


def ask(tool: MemdirMemoryTool, command: str, **fields: object) -> str:
    return str(tool.call({"command": command, **fields}))


def test_all_commands(tool: MemdirMemoryTool, memory: Path) -> None:
    assert ask(tool, "create", path="/memories/a.txt", file_text="one\ntwo\n") == "File created successfully at: /memories/a.txt"
    assert "     2\ttwo" in ask(tool, "view", path="/memories/a.txt")
    assert ask(tool, "view", path="/memories/a.txt", view_range=[2, 2]).endswith("line numbers:\n     2\ttwo")
    # `new_str` is optional: the text is removed.
    assert ask(tool, "str_replace", path="/memories/a.txt", old_str="two\n").startswith("The memory file has been edited.")
    ask(tool, "insert", path="/memories/a.txt", insert_line=1, insert_text="three")
    ask(tool, "rename", old_path="/memories/a.txt", new_path="/memories/deep/b.txt")
    assert (memory / "facts/deep/b.txt.md").read_text().endswith("one\nthree\n")
    assert "/memories/deep/b.txt" in ask(tool, "view", path="/memories")
    ask(tool, "delete", path="/memories/deep")
    assert not (memory / "facts/deep/b.txt.md").exists()


@pytest.mark.parametrize("path", ["/memoriesEVIL/x.md", "/memories/../x.md", "/memories/%2e%2e/x.md", "/etc/passwd"])
def test_no_path_leaves_the_memory(tool: MemdirMemoryTool, path: str) -> None:
    with pytest.raises(ToolError):
        ask(tool, "create", path=path, file_text="x")


def test_a_failure_is_a_tool_error(tool: MemdirMemoryTool) -> None:
    with pytest.raises(ToolError, match="does not exist"):
        ask(tool, "view", path="/memories/none.txt")
    with pytest.raises(ToolError, match="Invalid request"):
        tool.view(type("Command", (), {"model_dump": lambda self, **_: {"command": "explode"}})())


def test_tools_in_several_processes_lose_nothing(memory: Path) -> None:
    def write(name: int) -> None:
        with MemdirMemoryTool("--dir", str(memory), program=PROGRAM) as tool:
            for n in range(20):
                ask(tool, "insert", path="/memories/log.txt", insert_line=0, insert_text=f"{n} of {name}")

    with MemdirMemoryTool("--dir", str(memory), program=PROGRAM) as tool:
        ask(tool, "create", path="/memories/log.txt", file_text="start\n")
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    lines = (memory / "facts/log.txt.md").read_text().splitlines()
    assert all(lines.count(f"{n} of {name}") == 1 for n in range(20) for name in range(4))


def test_a_server_that_is_gone_is_told(memory: Path) -> None:
    with MemdirMemoryTool("--dir", str(memory), program=PROGRAM) as tool:
        tool._server.kill()
        tool._server.wait()
        with pytest.raises(ToolError, match="memdir ended with status -9"):
            ask(tool, "view", path="/memories")
