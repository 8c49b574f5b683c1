// The handlers behind the vendor's own tool, as the SDK calls it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { betaMemoryTool } from "@anthropic-ai/sdk/helpers/beta/memory";

import { memdirMemory } from "../dist/index.js";

const program = process.env.MEMDIR_BIN ?? "memdir";

function opened() {
  const home = mkdtempSync(join(tmpdir(), "memdir-"));
  Object.assign(process.env, { HOME: home, XDG_CONFIG_HOME: join(home, "config") });
  const dir = join(home, "memory");
  execFileSync(program, ["init", dir], { stdio: "ignore" });
  return { dir, open: () => memdirMemory({ options: ["--dir", dir], program }) };
}

test("every command of the tool", async () => {
  const { dir, open } = opened();
  const memory = open();
  const tool = betaMemoryTool(memory);
  const path = "/memories/a.txt";
  assert.equal(
    await tool.run({ command: "create", path, file_text: "one\ntwo\nthree\n" }),
    `File created successfully at: ${path}`,
  );
  assert.match(await tool.run({ command: "view", path }), /\n {5}2\ttwo\n/);
  // Over several lines, and with `$&` as it is.
  await tool.run({ command: "str_replace", path, old_str: "one\ntwo", new_str: "$&" });
  await tool.run({ command: "insert", path, insert_line: 1, insert_text: "four" });
  await tool.run({ command: "rename", old_path: path, new_path: "/memories/deep/b.txt" });
  assert.match(readFileSync(join(dir, "facts/deep/b.txt.md"), "utf8"), /\$&\nfour\nthree\n$/);
  await tool.run({ command: "delete", path: "/memories/deep" });
  await assert.rejects(async () => tool.run({ command: "view", path: "/memories/deep" }), /does not exist/);
  await assert.rejects(async () => tool.run({ command: "create", path: "/memoriesEVIL/x.md", file_text: "x" }), /must start/);
  await memory.close();
});

test("two matches on one line are reported", async () => {
  const memory = opened().open();
  await memory.create({ command: "create", path: "/memories/a.txt", file_text: "a a\n" });
  const twice = { command: "str_replace", path: "/memories/a.txt", old_str: "a", new_str: "b" };
  await assert.rejects(async () => memory.str_replace(twice), /Multiple occurrences/);
  await memory.close();
});

test("requests that overlap, of several servers, lose nothing", async () => {
  const { dir, open } = opened();
  const memories = [open(), open(), open()];
  await memories[0].create({ command: "create", path: "/memories/log.txt", file_text: "start\n" });
  const insert = (memory, text) =>
    memory.insert({ command: "insert", path: "/memories/log.txt", insert_line: 0, insert_text: text });
  await Promise.all(memories.flatMap((memory, name) => Array.from({ length: 20 }, (_, n) => insert(memory, `${n} of ${name}`))));
  await Promise.all(memories.map((memory) => memory.close()));
  const lines = readFileSync(join(dir, "facts/log.txt.md"), "utf8").split("\n");
  assert.equal(new Set(lines.filter((line) => / of /.test(line) && !line.startsWith(">"))).size, 60);
});

test("a server that is gone is told", async () => {
  const gone = memdirMemory({ program: "/nonexistent/memdir" });
  await assert.rejects(async () => gone.view({ command: "view", path: "/memories" }), /did not start|has ended/);
});
