// The official TypeScript client against `memdir mcp`.
//
//   node client.mjs BIN DIR check          every tool and resource, and a subscription
//   node client.mjs BIN DIR write NAME N   N changes, one after the other

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

// The package is installed elsewhere, in the directory that the runner names.
const require = createRequire(`${process.env.MCP_PACKAGES}/`);
const load = (path) => import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/${path}`)));
const { Client } = await load("client/index.js");
const { StdioClientTransport } = await load("client/stdio.js");
const { ResourceUpdatedNotificationSchema } = await load("types.js");

const [bin, dir, task, name = "claude", count = "0"] = process.argv.slice(2);
const client = new Client({ name: "mallory", version: "1" });
const env = { PATH: process.env.PATH, HOME: dir, MEMDIR_DURABILITY: process.env.MEMDIR_DURABILITY ?? "full" };
await client.connect(new StdioClientTransport({ command: bin, args: ["--dir", dir, "--as", name, "mcp"], env }));

const call = async (tool, args) => {
  const result = await client.callTool({ name: tool, arguments: args });
  assert.notEqual(result.isError, true, JSON.stringify(result));
  return result;
};
const add = (text) => call("memory_change", { operations: [{ op: "add", at: "user", text }] });

if (task === "write") {
  for (let n = 0; n < Number(count); n++) await add(`Fact ${n} of ${name}`);
} else {
  // With the list, the client holds every structured result against its output schema.
  const { tools } = await client.listTools();
  assert.equal(tools.length, 6);
  await add("Prefers tabs");
  await call("memory_context", {});
  await call("memory_list", {});
  await call("memory_append", { title: "Met Bob", text: "In Lisbon" });
  const outline = (await call("memory_list", { address: "user" })).structuredContent;
  const found = await call("memory_query", { query: "tabs", return: "full" });
  assert.equal(found.structuredContent.items[0].id, outline.bullets[0].address);
  const read = await call("memory_read", { address: "user" });
  assert.match(read.content[0].text, /- Prefers tabs\n/);
  const refused = await client.callTool({ name: "memory_read", arguments: { address: "nothing" } });
  assert.equal(JSON.parse(refused.content[0].text).code, "file_not_found");

  const { resources } = await client.listResources();
  const uri = resources.find((resource) => resource.name === "facts/user.md").uri;
  const { contents } = await client.readResource({ uri });
  assert.equal(contents[0].text, read.content[0].text);
  const updated = new Promise((resolve) =>
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => resolve(params.uri)),
  );
  await client.subscribeResource({ uri });
  await add("Uses Linux");
  assert.equal(await updated, uri);
}
await client.close();
