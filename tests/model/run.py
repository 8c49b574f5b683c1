"""Runs conversations and compactions through memdir with a real model, and checks that the memory stays sound.

Starts llama-cpp-python's server and a recording proxy on loopback; both end with this program. Judges no fact that the
model proposes: a model this small finds little. Exit status 1: a check failed.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socket import socket
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
TEXTS = ROOT / "fixtures/small_model"
EXIT_CODES = {0, 5, 8}  # done, refused, model
"""The documented statuses that a command with a model may end with here."""
COMMAND_SECONDS = 270
"""The longest that one command may take: the time limit in the configuration, and a margin."""
NO_UNDO = {".memdir", "inbox"}
"""What `undo` does not restore byte for byte: machine state, and proposals."""


class Exchange(NamedTuple):
    """One request to the model and its answer."""

    request: dict[str, Any]
    status: int
    answer: dict[str, Any]


class Recorder(ThreadingHTTPServer):
    """Forwards requests to the model and keeps them."""

    daemon_threads = True

    def __init__(self, upstream: str, record: Path | None) -> None:
        super().__init__(("127.0.0.1", 0), RecordingHandler)
        self.upstream = upstream
        self.exchanges: list[Exchange] = []
        self.record = record

    def keep(self, exchange: Exchange) -> None:
        self.exchanges.append(exchange)
        if self.record:
            with self.record.open("a") as out:
                out.write(json.dumps(exchange._asdict(), ensure_ascii=False) + "\n")

    def take(self) -> list[Exchange]:
        taken, self.exchanges = self.exchanges, []
        return taken


class RecordingHandler(BaseHTTPRequestHandler):
    """One request: forwards it and records it."""

    server: Recorder

    def forward(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0)) or None
        headers = {"content-type": "application/json"}
        request = urllib.request.Request(self.server.upstream + self.path, body, headers)
        try:
            with urllib.request.urlopen(request, timeout=COMMAND_SECONDS) as response:
                status, answer = response.status, response.read()
        except urllib.error.HTTPError as error:
            status, answer = error.code, error.read()
        if body:
            self.server.keep(Exchange(json.loads(body), status, json.loads(answer)))
        try:
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)
        except OSError:
            pass  # memdir did not wait any longer

    do_GET = do_POST = forward

    def log_message(self, format: str, *args: object) -> None:
        pass


class Row:
    """What one set of commands did."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.seconds: list[float] = []
        self.exits: dict[int, int] = {}
        self.requests = self.refused_requests = self.answers = self.valid = self.cut = self.cut_again = 0
        self.tokens_in = self.tokens_out = 0
        self.found = self.kept = self.waiting = 0

    def add(self, exchanges: list[Exchange], reports_on: str) -> None:
        was_cut = False
        for exchange in exchanges:
            self.requests += 1
            if exchange.status != 200:
                self.refused_requests += 1
                continue
            usage = exchange.answer.get("usage") or {}
            self.tokens_in += usage.get("prompt_tokens", 0)
            self.tokens_out += usage.get("completion_tokens", 0)
            choice = exchange.answer["choices"][0]
            self.answers += 1
            self.cut_again += was_cut
            was_cut = choice["finish_reason"] == "length"
            self.cut += was_cut
            if not was_cut and is_valid(choice["message"].get("content") or "", reports_on):
                self.valid += 1

    def line(self) -> str:
        share = f"{100 * self.valid / self.answers:.0f} %" if self.answers else "-"
        exits = " ".join(f"{code}:{count}" for code, count in sorted(self.exits.items()))
        fields = (self.name, len(self.seconds), exits, self.requests, self.refused_requests, self.answers, share)
        costs = (self.cut, self.cut_again, self.found, self.kept, self.waiting, self.tokens_in, self.tokens_out)
        return WIDTHS.format(*fields, *costs, f"{sum(self.seconds):.0f}", f"{max(self.seconds, default=0):.0f}")


WIDTHS = "{:<20} {:>5} {:>10} {:>6} {:>6} {:>7} {:>6} {:>4} {:>5} {:>6} {:>5} {:>7} {:>7} {:>6} {:>6} {:>5}"
HEADER = ["part", "runs", "exits", "asked", "denied", "answers", "valid", "cut", "again", "found", "kept", "waiting"]
HEADER += ["in", "out", "s", "max s"]
REQUIRED = {
    "add": {"at", "text", "quote", "turn"},
    "update": {"at", "text", "quote", "turn"},
    "rm": {"at", "quote", "turn"},
    "append": {"title", "text", "quote", "turn"},
}
"""The keys of an operation without which it has no meaning. The rest may be null or absent."""


def is_valid(text: str, reports_on: str) -> bool:
    """Whether an answer is the requested object, as it stands: no fence, no prose, every operation with its keys."""
    try:
        value = json.loads(text)
    except ValueError:
        return False
    if not isinstance(value, dict):
        return False
    if reports_on == "other":
        return True
    if reports_on == "compact":
        whole = isinstance(value.get("target"), int) and isinstance(value.get("absorbs"), list)
        return whole and value.get("action") in {"delete", "merge", "edit"}
    operations = value.get("operations")
    return isinstance(operations, list) and all(is_operation(one) for one in operations)


def is_operation(value: object) -> bool:
    if not isinstance(value, dict) or value.get("op") not in REQUIRED:
        return False
    keys = REQUIRED[value["op"]]
    return all(isinstance(value.get(key), int if key == "turn" else str) for key in keys)


class Memory:
    """A memory under test, and the checks on it."""

    def __init__(self, program: Path, home: Path, folder: Path) -> None:
        self.program, self.home, self.folder = program, home, folder
        self.failures: list[str] = []
        self.run("init", str(folder), "--quiet")

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        variables = {"HOME": str(self.home), "PATH": os.environ["PATH"], "NO_PROXY": "127.0.0.1"}
        command = [str(self.program), "--dir", str(self.folder), *words]
        if words[0] == "init":
            command = [str(self.program), *words]
        try:
            return subprocess.run(
                command, env=variables, capture_output=True, text=True, timeout=COMMAND_SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(command, 124, "", "no end")

    def files(self) -> dict[str, bytes]:
        """The files that `undo` restores."""
        found = (path for path in self.folder.rglob("*") if path.is_file())
        names = {str(path.relative_to(self.folder)): path for path in found}
        return {name: path.read_bytes() for name, path in names.items() if name.split("/")[0] not in NO_UNDO}

    def change(self, row: Row, name: str, *words: str) -> dict[str, Any]:
        """Runs a command that calls the model, and checks everything that must hold whatever the model said."""
        before = self.files()
        begun = time.monotonic()
        done = self.run(*words, "--json")
        row.seconds.append(time.monotonic() - begun)
        row.exits[done.returncode] = row.exits.get(done.returncode, 0) + 1
        after = self.files()

        def must(holds: bool, what: str) -> None:
            if not holds:
                self.failures.append(f"{row.name}, {name}: {what}")

        must(done.returncode in EXIT_CODES, f"exit status {done.returncode}: {done.stderr[-300:]}")
        must(done.returncode == 0 or after == before, "a failed command changed the memory")
        checked = self.run("check")
        must(checked.returncode == 0, f"check: {checked.stdout[-300:]}{checked.stderr[-300:]}")
        gone = [text for text in bullets(before) if text not in bullets(after)]
        if gone:
            history = self.run("log", "-p", "--json", "-L", "100000").stdout
            archived = "\n".join(data.decode() for name, data in after.items() if name.startswith("archive/"))
            for text in gone:
                quoted = json.dumps(text, ensure_ascii=False)[1:-1]
                must(text in archived or quoted in history, f"lost without a trace: {text}")
        if after != before:
            self.check_undo(before, after, must)
        try:
            return json.loads(done.stdout or done.stderr)
        except ValueError:
            must(False, "its output is not JSON")
            return {}

    def check_undo(self, before: dict[str, bytes], after: dict[str, bytes], must: Any) -> None:
        steps = 0
        while self.files() != before and steps < 4:
            undone = self.run("undo")
            must(undone.returncode == 0, f"undo: {undone.stderr[-300:]}")
            steps += 1
        must(self.files() == before, "undo does not restore every byte")
        for _ in range(steps):
            self.run("redo")
        must(self.files() == after, "redo does not restore every byte")


def bullets(files: dict[str, bytes]) -> set[str]:
    """The texts of all bullets outside the archive."""
    lines = (line for name, data in files.items() if name.endswith(".md") for line in data.decode().splitlines())
    return {line[2:].strip() for line in lines if line.startswith("- ")}


def conversations(name: str) -> list[tuple[str, str]]:
    """The conversations of a set: title and text."""
    parts = (TEXTS / f"{name}.txt").read_text().split("# ")[1:]
    return [(title.strip(), text.strip() + "\n") for title, text in (part.split("\n", 1) for part in parts)]


def reflect(memory: Memory, recorder: Recorder, row: Row, mode: str, texts: list[tuple[str, str]]) -> None:
    """Reads conversations in one mode, one after the other into one memory."""
    memory.run("add", "user", "Likes green tea.")
    memory.run("add", "project", "The build runs on Bun.", "The main branch is called trunk.")
    for title, text in texts:
        talk = memory.home / "talk.txt"
        talk.write_text(text)
        answer = memory.change(row, title, "reflect", str(talk), "--mode", mode)
        row.add(recorder.take(), "reflect")
        counts = answer.get("counts") or {}
        row.found += counts.get("found", 0)
        row.kept += counts.get("kept", 0)
        row.waiting += counts.get("proposed", 0)


def compact(memory: Memory, recorder: Recorder, row: Row, count: int) -> None:
    """Reduces files by one or two bullets."""
    texts = (TEXTS / "bullets.txt").read_text().splitlines()
    for number in range(count):
        file = f"facts/topic-{number + 1}.md"
        chosen = [texts[(number + step) % len(texts)] for step in range(6)]
        memory.run("add", file, *chosen, "--create")
        answer = memory.change(row, file, "compact", file, "--to", str(5 - number % 2))
        row.add(recorder.take(), "compact")
        row.found += answer.get("decided", 0) + answer.get("by_age", 0)
        row.kept += answer.get("decided", 0)


FOOD = "# Food\n\n## Likes\n\n- Pasta (especially carbonara)\n- Sushi\n- Scrambled eggs with lox\n\n## Dislikes\n\n- Olives\n"
REQUESTS = ["User likes omelettes", "Remove all egg preferences", "User likes pasta", "User no longer likes sushi"]
REPEATED = ["Prefers window seats on trains", "Usually prefers window seats on trains"]
REPEATED += ["Keeps the kayak in the barn", "Stores the kayak in the barn"]
OLD_MONTH = "# 2025-11 Episodes\n\n## Release\n- Date: 2025-11-03\n- Ana released 0.4.\n- The build took 12 minutes.\n\n"
OLD_MONTH += "## Cache\n- Date: 2025-11-20\n- Ana found a bug in the cache, because keys were cut at 64 bytes.\n"
TASK = "User: Release 0.5, please.\n\nAssistant: I ran the tests, set the version in Cargo.toml and tagged the commit.\n\n"
TASK += "User: It works, thanks. Next time write the changelog first.\n"


def requests(memory: Memory, recorder: Recorder, row: Row) -> None:
    """Asks for changes in words, each of the memory as it was at first."""
    file = memory.folder / "facts/food.md"
    for text in REQUESTS:
        file.parent.mkdir(exist_ok=True)
        file.write_text(FOOD)
        count(memory, recorder, row, text, "reflect", "--request", text, "--finder", "smollm2")


def services(memory: Memory, recorder: Recorder, row: Row) -> None:
    """Makes records, insights, a procedure, a digest and weeks, and removes duplicates."""
    for title, text in conversations("judged")[:4]:
        talk = memory.home / "talk.txt"
        talk.write_text(text)
        count(memory, recorder, row, f"record, {title}", "reflect", "--record", str(talk))
    count(memory, recorder, row, "insights", "reflect", "--insights")
    memory.run("add", "facts/travel.md", *REPEATED, "--create")
    count(memory, recorder, row, "duplicates", "compact", "--duplicates")
    talk = memory.home / "task.txt"
    talk.write_text(TASK)
    count(memory, recorder, row, "procedure", "reflect", "--procedure", str(talk))
    months = memory.folder / "episodes"
    months.mkdir(exist_ok=True)
    for month in ["2025-10", "2025-11"]:
        (months / f"{month}.md").write_text(OLD_MONTH.replace("2025-11", month))
    count(memory, recorder, row, "digest", "compact", "episodes/2025-11", "--older", "2025-12-31")
    count(memory, recorder, row, "weeks", "compact", "episodes", "--by-week")


def count(memory: Memory, recorder: Recorder, row: Row, name: str, *words: str) -> None:
    answer = memory.change(row, name, *words)
    row.add(recorder.take(), "other")
    counts = answer.get("counts") or {}
    removed = len(answer.get("removed") or [])
    row.found += counts.get("found", 0) + answer.get("asked", 0)
    row.kept += counts.get("kept", 0) + removed
    row.waiting += counts.get("proposed", 0) + answer.get("waiting_count", 0)


def serve(model: Path, threads: str, port: int, log: Path) -> subprocess.Popen[bytes]:
    """Starts the model's server."""
    words = ["--model", str(model), "--host", "127.0.0.1", "--port", str(port), "--n_ctx", "8192", "--seed", "7"]
    words += ["--n_threads", threads, "--n_threads_batch", threads, "--model_alias", "smollm2"]
    # If this program is killed, the kernel ends the server.
    command = ["setpriv", "--pdeathsig", "KILL", sys.executable, "-m", "llama_cpp.server", *words]
    with log.open("wb") as out:
        return subprocess.Popen(command, stdout=out, stderr=out)


def wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    """Waits until the server answers, one minute at most."""
    last = time.monotonic() + 60
    while time.monotonic() < last and server.poll() is None:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/models", timeout=5).close()
            return
        except OSError:
            time.sleep(0.2)
    raise SystemExit("the model's server did not start")


def free_port() -> int:
    with socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def run_all(options: argparse.Namespace, recorder: Recorder, work: Path) -> bool:
    """Runs all parts, prints the table, and tells whether every check held."""
    home = work / "home"
    config = home / ".config/memdir/config.yaml"
    config.parent.mkdir(parents=True)
    settings = (
        f'base_url: "http://127.0.0.1:{recorder.server_port}/v1", timeout_s: 120, overall_s: 240, max_tokens: 320'
    )
    config.write_text(f"model: {{provider: llamacpp, name: smollm2, {settings}}}\n")
    rows: list[Row] = []
    failures: list[str] = []
    for name in options.sets:
        for mode in options.modes:
            row, memory = Row(f"{mode}, {name}"), Memory(options.memdir, home, work / f"{mode}-{name}")
            reflect(memory, recorder, row, mode, conversations(name))
            rows.append(row)
            failures += memory.failures
            print(row.line(), flush=True)
    if options.compactions:
        row, memory = Row("compact"), Memory(options.memdir, home, work / "compact")
        compact(memory, recorder, row, options.compactions)
        rows.append(row)
        failures += memory.failures
    for name, part in [("requests", requests), ("services", services)] if options.services else []:
        row, memory = Row(name), Memory(options.memdir, home, work / name)
        part(memory, recorder, row)
        rows.append(row)
        failures += memory.failures
    print("\n" + WIDTHS.format(*HEADER))
    print("\n".join(row.line() for row in rows))
    print("\n".join(f"FAILED: {failure}" for failure in failures))
    return not failures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("memdir", type=Path, help="the program under test")
    parser.add_argument("model", type=Path, help="the model, a GGUF file")
    parser.add_argument("--sets", nargs="*", default=["tuned", "judged"])
    parser.add_argument("--modes", nargs="*", default=["tools", "ops"])
    parser.add_argument("--compactions", type=int, default=20)
    parser.add_argument("--services", type=int, choices=[0, 1], default=1, help="what is neither of the above")
    parser.add_argument("--threads", default=str(os.cpu_count() or 1), help="of the model's server")
    parser.add_argument("--record", type=Path, help="write all answers to this file")
    options = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(1))
    work = Path(tempfile.mkdtemp(prefix="memdir-model."))
    port = free_port()
    server = serve(options.model, options.threads, port, work / "server.log")
    try:
        wait_for(port, server)
        recorder = Recorder(f"http://127.0.0.1:{port}", options.record)
        threading.Thread(target=recorder.serve_forever, daemon=True).start()
        return 0 if run_all(options, recorder, work) else 1
    finally:
        server.kill()
        server.wait()
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
