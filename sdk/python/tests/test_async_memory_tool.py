"""The tool for the asynchronous client, as the SDK calls it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from anthropic.lib.tools import ToolError

from conftest import PROGRAM
from memdir_anthropic import MemdirAsyncMemoryTool


def opened(memory: Path) -> MemdirAsyncMemoryTool:
    return MemdirAsyncMemoryTool("--dir", str(memory), program=PROGRAM)


async def ask(tool: MemdirAsyncMemoryTool, command: str, **fields: object) -> str:
    return str(await tool.call({"command": command, **fields}))


async def test_all_commands(memory: Path) -> None:
    async with opened(memory) as tool:
        await ask(tool, "create", path="/memories/a.txt", file_text="one\ntwo\n")
        assert "     2\ttwo" in await ask(tool, "view", path="/memories/a.txt")
        await ask(tool, "str_replace", path="/memories/a.txt", old_str="two\n")
        await ask(tool, "insert", path="/memories/a.txt", insert_line=1, insert_text="three")
        await ask(tool, "rename", old_path="/memories/a.txt", new_path="/memories/deep/b.txt")
        assert (memory / "facts/deep/b.txt.md").read_text().endswith("one\nthree\n")
        await ask(tool, "delete", path="/memories/deep")
        with pytest.raises(ToolError, match="does not exist"):
            await ask(tool, "view", path="/memories/deep")


async def test_requests_that_overlap_lose_nothing(memory: Path) -> None:
    async with opened(memory) as first, opened(memory) as second:
        await ask(first, "create", path="/memories/log.txt", file_text="start\n")
        tools = [first, second] * 20
        insert = {"path": "/memories/log.txt", "insert_line": 0}
        await asyncio.gather(*(ask(tool, "insert", **insert, insert_text=f"line {n}") for n, tool in enumerate(tools)))
    lines = (memory / "facts/log.txt.md").read_text().splitlines()
    assert all(lines.count(f"line {n}") == 1 for n in range(40))


async def test_a_cancelled_request_takes_no_other_reply(memory: Path) -> None:
    async with opened(memory) as tool:
        await ask(tool, "create", path="/memories/a.txt", file_text="one\n")
        cancelled = asyncio.create_task(ask(tool, "view", path="/memories"))
        await asyncio.sleep(0)
        cancelled.cancel()
        with pytest.raises(asyncio.CancelledError):
            await cancelled
        assert "one" in await ask(tool, "view", path="/memories/a.txt")


async def test_a_server_that_is_gone_is_told(memory: Path) -> None:
    async with opened(memory) as tool:
        await ask(tool, "view", path="/memories")
        assert tool._server is not None
        tool._server[0].kill()
        await tool._server[0].wait()
        with pytest.raises(ToolError, match="memdir ended with status -9"):
            await ask(tool, "view", path="/memories")
