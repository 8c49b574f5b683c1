"""The official Python client against `memdir mcp`, in both eras of the protocol.

python client.py BIN DIR check legacy|2026-07-28   every tool and resource
python client.py BIN DIR write NAME N              N changes, one after the other
"""

import asyncio
import json
import os
import sys

from mcp import Client, StdioServerParameters, stdio_client


def server(binary, directory, name):
    env = {"PATH": os.environ["PATH"], "HOME": directory}
    env["MEMDIR_DURABILITY"] = os.environ.get("MEMDIR_DURABILITY", "full")
    arguments = ["--dir", directory, "--as", name, "mcp"]
    return stdio_client(StdioServerParameters(command=binary, args=arguments, env=env))


async def call(client, tool, **arguments):
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result
    return result


def add(client, text):
    return call(client, "memory_change", operations=[{"op": "add", "at": "user", "text": text}])


async def write(binary, directory, name, count):
    async with Client(server(binary, directory, name)) as client:
        for n in range(int(count)):
            await add(client, f"Fact {n} of {name}")


async def check(binary, directory, mode):
    async with Client(server(binary, directory, "claude"), mode=mode) as client:
        # With the list, the client holds every structured result against its output schema.
        tools = await client.list_tools()
        assert len(tools.tools) == 6, tools
        await add(client, "Prefers tabs")
        await call(client, "memory_context")
        await call(client, "memory_list")
        await call(client, "memory_append", title="Met Bob", text="In Lisbon")
        outline = (await call(client, "memory_list", address="user")).structured_content
        found = (await call(client, "memory_query", query="tabs")).structured_content
        assert found["items"][0]["id"] == outline["bullets"][0]["address"], found
        read = await call(client, "memory_read", address="user")
        assert "- Prefers tabs\n" in read.content[0].text, read
        refused = await client.call_tool("memory_read", {"address": "nothing"})
        assert json.loads(refused.content[0].text)["code"] == "file_not_found", refused
        resources = await client.list_resources()
        uri = next(r.uri for r in resources.resources if r.name == "facts/user.md")
        contents = await client.read_resource(uri)
        assert contents.contents[0].text == read.content[0].text, contents


if __name__ == "__main__":
    binary, directory, task, *rest = sys.argv[1:]
    asyncio.run({"check": check, "write": write}[task](binary, directory, *rest))
