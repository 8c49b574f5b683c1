"""Runs the official clients against `memdir mcp`, then eight of them at once on one memory: no write may be lost.

python run.py BIN PACKAGES PYTHON

PACKAGES is the folder with the npm package @modelcontextprotocol/sdk, PYTHON an interpreter with the package mcp.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CLIENTS = 8
WRITES = 100
HERE = Path(__file__).parent


def new_memory(binary, work, name):
    directory = Path(work, name)
    env = {"PATH": os.environ["PATH"], "HOME": work}
    subprocess.run([binary, "init", directory], check=True, env=env, stdout=subprocess.DEVNULL)
    return str(directory)


def main(binary, packages, python):
    binary = str(Path(binary).resolve())
    env = {**os.environ, "MCP_PACKAGES": str(Path(packages).resolve())}
    typescript, py = ["node", str(HERE / "client.mjs")], [python, str(HERE / "client.py")]
    with tempfile.TemporaryDirectory(prefix="memdir-mcp.") as work:
        checks = [
            ("typescript", typescript, []),
            ("python-legacy", py, ["legacy"]),
            ("python-2026-07-28", py, ["2026-07-28"]),
        ]
        for name, command, options in checks:
            directory = new_memory(binary, work, name)
            subprocess.run([*command, binary, directory, "check", *options], check=True, env=env)
            print(f"{name:20} ok", flush=True)

        directory, begun = new_memory(binary, work, "crowd"), time.monotonic()
        names = [f"agent{n}" for n in range(CLIENTS)]
        crowd = [
            subprocess.Popen([*(typescript, py)[n % 2], binary, directory, "write", name, str(WRITES)], env=env)
            for n, name in enumerate(names)
        ]
        failed = [client.args for client in crowd if client.wait() != 0]
        assert not failed, failed
        seconds = time.monotonic() - begun
        lines = Path(directory, "facts/user.md").read_text().splitlines()
        wanted = {f"- Fact {n} of {name}" for name in names for n in range(WRITES)}
        kept = [line for line in lines if line in wanted]
        revisions = subprocess.run(
            [binary, "--dir", directory, "status"], check=True, capture_output=True, text=True, env={"HOME": work}
        ).stdout
        print(f"{CLIENTS} clients at once   {len(set(kept))} of {len(wanted)} writes kept, {seconds:.1f} s")
        assert len(kept) == len(set(kept)) == len(wanted), "writes were lost or made twice"
        assert f"last change r{len(wanted)}," in revisions, revisions


if __name__ == "__main__":
    main(*sys.argv[1:])
