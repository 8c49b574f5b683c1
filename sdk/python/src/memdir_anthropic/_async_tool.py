"""The memory tool for the asynchronous client."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import anyio
from anthropic.lib.tools import BetaAsyncAbstractMemoryTool, ToolError
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream

MAX_REPLY_BYTES = 1 << 30


class MemdirAsyncMemoryTool(BetaAsyncAbstractMemoryTool):
    """As `MemdirMemoryTool`. The server starts with the first request; one request waits for the one before."""

    def __init__(self, *options: str, program: str = "memdir") -> None:
        super().__init__()
        self._command = [program, *options, "tool", "anthropic", "--serve"]
        self._lock = anyio.Lock()
        self._server: tuple[Process, BufferedByteReceiveStream] | None = None

    async def _ask(self, command: Any) -> str:
        request = json.dumps(command.model_dump(exclude_none=True, exclude_unset=True)) + "\n"
        async with self._lock:
            # A reply that nobody read would be taken for that of the next request.
            with anyio.CancelScope(shield=True):
                line = await self._exchange(request.encode())
        reply = json.loads(line)
        if reply["is_error"]:
            raise ToolError(reply["content"])
        return str(reply["content"])

    async def _exchange(self, request: bytes) -> bytes:
        if self._server is None:
            process = await anyio.open_process(self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=None)
            assert process.stdout is not None
            self._server = process, BufferedByteReceiveStream(process.stdout)
        process, replies = self._server
        assert process.stdin is not None
        try:
            await process.stdin.send(request)
            return await replies.receive_until(b"\n", MAX_REPLY_BYTES)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.EndOfStream, anyio.IncompleteRead):
            status = await process.wait()
        raise ToolError(f"memdir ended with status {status}; whether the request was done is not known")

    view = create = str_replace = insert = delete = rename = _ask

    async def aclose(self) -> None:
        """Ends the server once it has done what it was asked."""
        async with self._lock:
            if self._server is not None:
                process, _ = self._server
                assert process.stdin is not None
                await process.stdin.aclose()
                await process.wait()
                await process.aclose()

    async def __aenter__(self) -> MemdirAsyncMemoryTool:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()
