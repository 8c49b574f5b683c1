"""Anthropic's memory tool over a memdir memory."""

from __future__ import annotations

import contextlib
import json
import subprocess
import threading
from types import TracebackType
from typing import Any

from anthropic.lib.tools import BetaAbstractMemoryTool, ToolError

from ._async_tool import MemdirAsyncMemoryTool

__all__ = ["MemdirAsyncMemoryTool", "MemdirMemoryTool"]


class MemdirMemoryTool(BetaAbstractMemoryTool):
    """Passes every request to `memdir tool anthropic --serve`, which runs until the tool is closed.

    `options` are memdir's global options, such as `"--dir", "notes"`.
    """

    def __init__(self, *options: str, program: str = "memdir") -> None:
        super().__init__()
        command = [program, *options, "tool", "anthropic", "--serve"]
        self._lock = threading.Lock()
        self._server = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def _ask(self, command: Any) -> str:
        assert self._server.stdin is not None and self._server.stdout is not None
        request = json.dumps(command.model_dump(exclude_none=True, exclude_unset=True))
        with self._lock:
            try:
                self._server.stdin.write(request + "\n")
                self._server.stdin.flush()
                line = self._server.stdout.readline()
            except BrokenPipeError:
                line = ""
        if not line:
            raise ToolError(f"memdir ended with status {self._server.wait()}; whether the request was done is not known")
        reply = json.loads(line)
        if reply["is_error"]:
            raise ToolError(reply["content"])
        return str(reply["content"])

    view = create = str_replace = insert = delete = rename = _ask

    def close(self) -> None:
        """Ends the server once it has done what it was asked."""
        with contextlib.suppress(BrokenPipeError):
            self._server.communicate()

    def __enter__(self) -> MemdirMemoryTool:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()
