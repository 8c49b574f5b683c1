"""Records what server-memory answers to a list of calls, one JSON object a line: tool, arguments, and the answer.

python graph.py INDEX_JS          prints the record
python graph.py INDEX_JS FILE     compares it with FILE, which tests/it/mcp/graph.rs holds memdir against
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path


def entity(name, kind, *observations):
    return {"name": name, "entityType": kind, "observations": list(observations)}


def create(*entities):
    return "create_entities", {"entities": list(entities)}


def relations(tool, *rows):
    return tool, {"relations": [{"from": a, "relationType": kind, "to": b} for a, kind, b in rows]}


def relate(*rows):
    return relations("create_relations", *rows)


def unrelate(*rows):
    return relations("delete_relations", *rows)


def observe(*rows):
    return "add_observations", {"observations": [{"entityName": name, "contents": texts} for name, texts in rows]}


def forget(*rows):
    return "delete_observations", {"deletions": [{"entityName": name, "observations": texts} for name, texts in rows]}


def delete(*names):
    return "delete_entities", {"entityNames": list(names)}


def search(query):
    return "search_nodes", {"query": query}


def open_nodes(*names):
    return "open_nodes", {"names": list(names)}


READ = ("read_graph", {})

CALLS = [
    READ,
    search("nothing"),
    open_nodes("Nobody"),
    create(),
    # Entities, duplicates and unknown names.
    create(entity("Ana María", "person", "Prefers tabs", "Speaks português")),
    create(entity("Ana María", "other", "Not kept")),
    create(entity("Acme", "organization"), entity("Ana María", "person"), entity("Bob", "person", "Knows Rust")),
    READ,
    observe(("Bob", ["Knows Rust", "Plays the cello"])),
    observe(("Bob", ["Plays the cello"]), ("Acme", ["Makes rockets"])),
    observe(("Nobody", ["Lost"])),
    observe(("Bob", ["Lost with the batch"]), ("Nobody", ["Lost"])),
    observe(("bob", ["Another case"])),
    observe(("Bob", [])),
    observe(),
    READ,
    # Unicode, other names than those of files, and names that are hostile paths.
    create(entity("项目 Ω", "проект", "使用 Rust", "наблюдение", "emoji 🚀 and ünïcödé")),
    create(entity("../../etc/passwd", "file", "root:x:0:0"), entity("/etc/shadow", "file"), entity("..", "dots")),
    create(entity("a/b/c.md", "path"), entity("a\\b\\c", "path"), entity(".hidden", "dot"), entity("CON", "device")),
    create(entity("C#", "language"), entity("C++", "language"), entity("Node.js", "runtime"), entity("100%", "share")),
    create(entity("[[Brackets]]", "markup"), entity("pipe|name", "markup"), entity("back`tick`", "markup")),
    create(entity("Zoe", "case"), entity("zoe", "case"), entity("ZOE", "case")),
    create(entity("line\nbreak", "odd: kind"), entity(" spaces ", ""), entity("<!-- comment -->", "markup")),
    create(entity("", "empty name")),
    create(entity("relations", "reserved"), entity("archive", "reserved"), entity("episodes/2026-02", "reserved")),
    create(entity("x" * 300, "long")),
    READ,
    open_nodes("../../etc/passwd", "C#", "line\nbreak"),
    open_nodes("zoe"),
    open_nodes("", " spaces "),
    # Texts of several lines, and texts that read like Markdown.
    observe(("Acme", ["Steps:\n- one\n- two", "first\n\nsecond paragraph", "Run:\n```sh\nmake -j\n```"])),
    observe(("Acme", ["Steps:\n- one\n- two", "# no heading", "- no list", "> no quote", "1. no number", "---"])),
    observe(("Acme", ["a <!-- mem imp=9 --> b", "first\n<!-- mem pin -->", "below\n# no heading", "[x]: /url"])),
    observe(("Acme", ["works_at [[Bob]]", "\"works with\" [[Bob]]", "back\\slash \\[[Bob]]", "see [[Bob]] today"])),
    observe(("Acme", ["Label: value", "[decision] use Rust #tag (context)", "[ ] a task", "`code` and *stars*"])),
    observe(("Acme", ["tab\there", "quote \"double\" 'single'", "{\"json\": [1, 2]}", "100% & <b>bold</b>"])),
    open_nodes("Acme"),
    # Relations: duplicates, to and from what is missing, of any type.
    relate(("Ana María", "works_at", "Acme"), ("Bob", "works at", "Acme")),
    relate(("Ana María", "works_at", "Acme"), ("Ana María", "founded", "Acme")),
    relate(("Bob", "knows", "Nobody"), ("Nobody", "knows", "Bob"), ("Ghost", "haunts", "Phantom")),
    relate(("Nobody", "knows", "Bob")),
    relate(("C#", "competes with", "C++"), ("[[Brackets]]", "is \"quoted\"", "pipe|name"), ("line\nbreak", "", "")),
    relate(("../../etc/passwd", "links_to", "/etc/shadow"), ("项目 Ω", "использует", "Node.js")),
    relate(("Bob", "knows", "Bob")),
    relate(),
    READ,
    # Search is for a substring, in any case, in names, types and observations.
    search("ana maría"),
    search("RUST"),
    search("ORGANIZATION"),
    search("ПРОЕКТ"),
    search("rockets"),
    search("steps:\n- ONE"),
    search("etc/"),
    search("[["),
    search("no such text anywhere"),
    search("Phantom"),
    open_nodes("Bob", "Nobody"),
    open_nodes(),
    # Deletions, also of what is not there.
    forget(("Bob", ["Plays the cello", "never said"]), ("Nobody", ["Lost"])),
    forget(("Bob", ["Plays the cello"])),
    forget(("Acme", ["Steps:\n- one\n- two", "# no heading", "works_at [[Bob]]", "first\n<!-- mem pin -->"])),
    open_nodes("Acme", "Bob"),
    unrelate(("Ana María", "founded", "Acme"), ("Ana María", "never", "Acme")),
    unrelate(("Ana María", "founded", "Acme")),
    unrelate(("Ghost", "haunts", "Phantom"), ("C#", "competes with", "C++")),
    READ,
    delete("Nobody"),
    delete("Acme", "../../etc/passwd", "line\nbreak", ""),
    delete("Acme"),
    READ,
    create(entity("Acme", "company", "Founded again"), entity("Nobody", "person")),
    observe(("Acme", ["Founded again", "Makes anvils"])),
    relate(("Nobody", "knows", "Bob"), ("Acme", "employs", "Bob")),
    delete("zoe", "Zoe"),
    search("zoe"),
    delete("Bob"),
    READ,
]


class Server:
    def __init__(self, index_js, directory):
        env = {"PATH": os.environ["PATH"], "HOME": directory, "MEMORY_FILE_PATH": str(Path(directory, "memory.jsonl"))}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(["node", index_js], env=env, text=True, encoding="utf-8", **pipes)
        self.number = 0
        client = {"name": "record", "version": "1"}
        self.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        self.send({"method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def request(self, method, params):
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        while (answer := json.loads(self.process.stdout.readline())).get("id") != self.number:
            pass
        return answer["result"]


def record(index_js):
    with tempfile.TemporaryDirectory(prefix="memdir-graph.") as directory:
        server = Server(index_js, directory)
        for tool, arguments in CALLS:
            result = server.request("tools/call", {"name": tool, "arguments": arguments})
            answer = {"text": result["content"][0]["text"]}
            if result.get("isError"):
                answer["is_error"] = True
            else:
                answer["structured"] = result["structuredContent"]
            yield json.dumps({"tool": tool, "arguments": arguments, **answer}, ensure_ascii=False) + "\n"
        server.process.stdin.close()
        server.process.wait()


def main(index_js, expected=None):
    lines = list(record(index_js))
    if expected is None:
        sys.stdout.writelines(lines)
        return
    assert lines == Path(expected).read_text(encoding="utf-8").splitlines(keepends=True), f"{expected} is out of date"
    print(f"server-memory        {len(lines)} answers as recorded")


if __name__ == "__main__":
    main(*sys.argv[1:])
