#!/usr/bin/env node
// Starts the program that the optional package of this platform contains, with the same input, output and exit status.
"use strict";
const { spawn } = require("node:child_process");

let program;
try {
  program = require.resolve(`@memdir/${process.platform}-${process.arch}/bin/memdir`);
} catch {
  console.error(
    `memdir: no program for ${process.platform} on ${process.arch}: @memdir/${process.platform}-${process.arch} is not installed\n` +
      "hint: there are packages for Linux and macOS, x64 and arm64; install without --omit=optional",
  );
  process.exit(1);
}
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(`memdir: ${program} does not start: ${error.message}`);
  process.exit(1);
});
child.on("exit", (status, signal) => {
  if (signal === null) process.exit(status);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
