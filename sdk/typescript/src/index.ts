import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

import type { MemoryToolHandlers } from "@anthropic-ai/sdk/helpers/beta/memory";

/** Options of {@link memdirMemory}. */
export interface MemdirOptions {
  /** memdir's global options, such as `["--dir", "notes"]`. */
  options?: string[];
  /** The program; `memdir` on `PATH` by default. */
  program?: string;
}

/** The handlers of Anthropic's memory tool over a memory, for `betaMemoryTool`. */
export type MemdirMemory = MemoryToolHandlers & {
  /** Ends the server once it has done what it was asked. */
  close(): Promise<void>;
};

/** Passes every request to `memdir tool anthropic --serve`, which runs until the memory is closed. */
export function memdirMemory({ options = [], program = "memdir" }: MemdirOptions = {}): MemdirMemory {
  const server = spawn(program, [...options, "tool", "anthropic", "--serve"], { stdio: ["pipe", "pipe", "inherit"] });
  const waiting: { resolve(content: string): void; reject(why: Error): void }[] = [];
  const ended = new Promise<void>((resolve) => {
    const end = (why: string) => {
      waiting.splice(0).forEach((asker) => asker.reject(new Error(`${why}; whether the request was done is not known`)));
      resolve();
    };
    server.on("error", (error) => end(`memdir did not start: ${error.message}`));
    server.on("close", (status, signal) => end(`memdir ended with status ${status ?? signal}`));
  });
  // A server that is gone is told by `close`.
  server.stdin.on("error", () => {});
  createInterface({ input: server.stdout }).on("line", (line) => {
    const reply = JSON.parse(line) as { content: string; is_error: boolean };
    const asker = waiting.shift();
    if (reply.is_error) asker?.reject(new Error(reply.content));
    else asker?.resolve(reply.content);
  });
  const ask = (request: object) =>
    new Promise<string>((resolve, reject) => {
      if (server.exitCode !== null || server.signalCode !== null) return reject(new Error("memdir has ended"));
      waiting.push({ resolve, reject });
      server.stdin.write(JSON.stringify(request) + "\n");
    });
  const close = () => {
    server.stdin.end();
    return ended;
  };
  return { view: ask, create: ask, str_replace: ask, insert: ask, delete: ask, rename: ask, close };
}
