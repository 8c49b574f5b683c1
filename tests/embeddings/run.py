"""What embeddings are worth: the sets of facts of `fixtures/ranking` and the cases of `fixtures/delivery`, with words alone
and with the vectors of a real, small model on loopback: `run.py MEMDIR [tuned|judged]...`.

Fails if vectors make a set worse."""

import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SETS = ["facts.en", "facts.de", "facts.ru", "facts.ja", "facts.zh", "people.zh", "spellings.en"]
ATTEMPTS = 30
NOW = "2026-02-24T10:00:00Z"


def config(memory, url):
    block = {"base_url": url, "name": "multilingual-e5-small-q4", "memories": [str(memory)]}
    return json.dumps({"find": {"embeddings": block | {"query_prefix": "query: ", "text_prefix": "passage: "}}})


class World:
    """A memory in a home of its own."""

    def __init__(self, program, folder, text, url):
        self.program, self.home, self.memory = program, Path(folder), Path(folder, "memory")
        for part in text.split("=== ")[1:]:
            path, body = part.split("\n", 1)
            file = self.memory / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(body)
        (self.memory / "memdir.yaml").write_text("version: 1\n")
        if url:
            (self.home / ".config/memdir").mkdir(parents=True)
            (self.home / ".config/memdir/config.yaml").write_text(config(self.memory, url))
            self.run("embed")

    def run(self, *words):
        # A host that was too slow for one question says nothing about what vectors are worth.
        for _ in range(ATTEMPTS):
            answer = self.once(*words)
            if "warnings" not in answer:
                return answer
            (self.memory / ".memdir/embeddings-failure").unlink(missing_ok=True)
        sys.exit(f"no vectors: {answer['warnings']}")

    def once(self, *words):
        env = {"HOME": str(self.home), "MEMDIR_NOW": NOW, "PATH": os.environ["PATH"]}
        command = [self.program, "--dir", str(self.memory), "--json", *words]
        done = subprocess.run(command, capture_output=True, text=True, env=env, check=True)
        return json.loads(done.stdout)


def figures(world, questions):
    recall = reciprocal = 0
    for question, expected in questions:
        rows = world.run("query", "-L", "10", "--", question)["items"]
        rank = next((n for n, row in enumerate(rows, 1) if expected in row["text"]), None)
        recall += rank is not None
        reciprocal += 1 / rank if rank else 0
    return recall / len(questions), reciprocal / len(questions)


def ask(url, texts):
    body = json.dumps({"model": "m", "input": texts}).encode()
    request = urllib.request.Request(f"{url}/embeddings", body, {"content-type": "application/json"})
    urllib.request.urlopen(request, timeout=600).read()


def measure_sets(program, half, url):
    print(f"## {half}\n\n| set | questions | words: R@10 | MRR | words and vectors: R@10 | MRR |\n|---|---|---|---|---|---|")
    worse = []
    for name in SETS:
        folder = ROOT / "fixtures/ranking" / half
        text = (folder / f"{name}.md").read_text()
        questions = [line.split("\t") for line in (folder / f"{name}.tsv").read_text().splitlines()]
        ask(url, [f"query: {question}" for question, _ in questions])
        with tempfile.TemporaryDirectory() as words, tempfile.TemporaryDirectory() as vectors:
            before = figures(World(program, words, text, None), questions)
            after = figures(World(program, vectors, text, url), questions)
        row = " | ".join(f"{number:.3f}" for number in before + after)
        print(f"| {name} | {len(questions)} | {row} |", flush=True)
        if after[0] < before[0] - 0.0005 or after[1] < before[1] - 0.0005:
            worse.append(name)
    return worse


def measure_delivery(halves, url):
    for half in halves:
        lines = (ROOT / f"fixtures/delivery/{half}.tsv").read_text().splitlines()
        ask(url, [f"query: {line.split(chr(9))[1]}" for line in lines])
    env = os.environ | {"DELIVERY_EMBEDDINGS": url}
    command = ["cargo", "bench", "--quiet", "--profile", "dev", "--bench", "delivery", "--", *halves]
    subprocess.run(command, cwd=ROOT, env=env, check=True)


def main():
    program, halves = sys.argv[1], sys.argv[2:] or ["tuned", "judged"]
    with tempfile.TemporaryDirectory() as folder:
        port = Path(folder, "port")
        server = subprocess.Popen([sys.executable, str(Path(__file__).with_name("server.py")), str(port)])
        try:
            while not port.exists() or not port.read_text():
                assert server.poll() is None, "the server ended"
                time.sleep(0.05)
            url = f"http://127.0.0.1:{port.read_text()}/v1"
            worse = [f"{half} {name}" for half in halves for name in measure_sets(program, half, url)]
            measure_delivery(halves, url)
        finally:
            server.kill()
            server.wait()
    if worse:
        sys.exit(f"vectors made these worse: {', '.join(worse)}")


if __name__ == "__main__":
    main()
