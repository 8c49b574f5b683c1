// The memories that the page is tested with: the example with a history, 10,000 bullets, 300 linked files, hostile texts.
// Each is made with the program under test, at a fixed time.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const NOW = "2026-11-24T10:00:00Z";

export class Memory {
  constructor(program, work, name) {
    this.program = program;
    this.above = join(work, name);
    this.dir = join(this.above, "memory");
    mkdirSync(join(this.above, "config", "memdir"), { recursive: true });
    writeFileSync(join(this.above, "config", "memdir", "config.yaml"), "people: [ines]\n");
  }

  // Runs a command as somebody at some time; its exit status must be one of `allowed`.
  run(args, { as = "ines", at = NOW, input = "", allowed = [0] } = {}) {
    const env = {
      PATH: process.env.PATH,
      HOME: this.above,
      XDG_CONFIG_HOME: join(this.above, "config"),
      TZ: "UTC",
      LANG: "C.UTF-8",
      MEMDIR_NOW: at,
      MEMDIR_AS: as,
    };
    const done = spawnSync(this.program, args, { cwd: this.above, env, input, maxBuffer: 1 << 30 });
    if (!allowed.includes(done.status)) {
      throw new Error(`memdir ${args.join(" ")}: ${done.status}\n${done.stdout}\n${done.stderr}`);
    }
    return done.stdout.toString();
  }

  put(path, text) {
    const file = join(this.dir, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  // Writes a file of the project around the memory, and makes it a git repository, which anchors need.
  code(path, text) {
    const file = join(this.above, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    execFileSync("git", ["init", "--quiet", this.above]);
  }

  // Writes the page, and answers its path.
  page(name, options = []) {
    const file = join(this.above, `${name}.html`);
    this.run(["export", "--to", "html", "-f", "-o", file, ...options]);
    return file;
  }
}

// The example memory after some weeks of work by a person and two agents.
export function exampleMemory(program, work) {
  const memory = new Memory(program, work, "tidewatch");
  const on = (day, as, args, more = {}) => memory.run(args, { as, at: `2026-11-${day}:00Z`, ...more });
  on("02T08:10", "ines", ["init", "memory", "--example"]);
  const policy = readFileSync(join(memory.dir, "memdir.yaml"), "utf8");
  memory.put("memdir.yaml", policy.replace(/^sensitive:.*$/m, "sensitive: [contact, city]"));
  memory.code("src/tide.rs", "pub fn height_mm(at: i64) -> i32 {\n    predict(at)\n}\n");
  const [handle] = memory.run(["list", "project#decisions"]).match(/@\S+(?= \[decision\] heights are)/);
  on("02T08:20", "ines", ["set", `project${handle}`, "anchor=src/tide.rs:1-3"]);
  on("02T08:30", "ines", ["add", "user#desk", "[machine] Oscilloscope on loan from the university until January"]);
  on("03T14:05", "claude", ["add", "project#decisions", "[decision] the installer is one static binary #release"]);
  on("04T09:15", "claude", [
    "add",
    "project#open-questions",
    "[question] can a display be updated over serial? #display",
  ]);
  on("05T16:40", "codex", [
    "add",
    "preferences#code",
    "[preference] tests name what went wrong, not the function #testing",
  ]);
  on("09T11:20", "codex", [
    "update",
    "project",
    "[decision] the installer is one static binary #release",
    "[decision] the installer is one static binary of at most 5 MB #release",
  ]);
  on("10T10:00", "claude", [
    "add",
    "people#testers",
    "[tester] the lifeboat station in Kilronan gets a unit in December #field",
  ]);
  on("12T15:30", "ines", ["mv", "user@s191", "project#stack"]);
  on("16T09:45", "claude", ["append", "-t", "Gaskets from the second supplier"], {
    input:
      "- Date: 2026-11-16\n- Summary: the new gaskets hold, at twice the price\n- Observed: 40 hours of spray, dry inside\n- Next: ask for a price for fifty\n",
  });
  on("17T13:00", "codex", [
    "add",
    "project#conventions",
    "[convention] review every branch on paper before it is merged, see [[user#working-rhythm]]",
  ]);
  on("18T10:12", "codex", ["rm", "-f", "project#open-questions@1"]);
  on("18T10:20", "ines", ["undo"]);
  on("20T17:25", "claude", ["add", "preferences", "Shell: zsh; scripts are POSIX sh all the same"]);
  on("23T08:55", "claude", ["add", "user", "Phone: +353 91 555 0100"], { allowed: [0, 5] });
  on("23T09:05", "codex", ["update", "user", "Time zone: Europe/Dublin", "Time zone: Europe/Lisbon"], {
    allowed: [0, 5],
  });
  memory.code("src/tide.rs", "pub fn height_mm(at: i64) -> i32 {\n    predict(at).round()\n}\n");
  memory.run(["check", "--anchors"], { allowed: [6] });
  memory.run(["query", "tests"], { as: "codex", at: "2026-11-23T09:10:00Z" });
  memory.run(["query", "display"], { as: "claude", at: "2026-11-24T08:10:00Z" });
  return memory;
}

// 10,000 bullets in 40 files, all different, with a vocabulary as large as that of people's notes.
export function bigMemory(program, work) {
  const memory = new Memory(program, work, "big");
  memory.run(["init", "memory"]);
  const syllables = "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu".split(" ");
  const word = (n) =>
    [n, n >> 4, n >> 9].map((part) => syllables[part % syllables.length]).join("") + (n % 3 ? "" : "s");
  let seed = 1;
  const random = (below) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return Math.floor((seed / 2147483648) * below);
  };
  // Zipf's law: few words are common.
  const anyWord = () => word(Math.floor(4000 ** (random(10000) / 10000)) + random(40));
  for (let file = 0; file < 40; file += 1) {
    let text = `# Topic ${file}\n`;
    for (let at = 0; at < 250; at += 1) {
      if (at % 25 === 0) text += `\n## Part ${at / 25}\n\n`;
      const words = Array.from({ length: 6 + random(9) }, anyWord);
      text += `- ${words.join(" ")} ${file * 250 + at}${at % 40 === 7 ? ` [[topic-${(file * 7 + at) % 40}]]` : ""}\n`;
    }
    memory.put(`facts/topic-${file}.md`, text);
  }
  memory.put("facts/needle.md", "# Needle\n\n- The quartz lighthouse blinks twice\n");
  // They become part of the history, each file by one change.
  for (let file = 0; file < 40; file += 1) memory.run(["add", `topic-${file}`, `Recorded by hand ${file}`]);
  return memory;
}

// 300 files with links as people make them: some are linked from everywhere, most from a few.
export function linkedMemory(program, work) {
  const memory = new Memory(program, work, "linked");
  memory.run(["init", "memory"]);
  const names = "river harbour lamp engine keel chart signal mast anchor buoy sail rope tide cabin galley".split(" ");
  const name = (n) => `${names[n % names.length]}-${Math.floor(n / names.length)}`;
  for (let n = 0; n < 300; n += 1) {
    const links = [name(Math.floor(n / 3)), name((n * 17 + 5) % 300), ...(n % 5 ? [] : [name(n % 20)])];
    memory.put(`facts/${name(n)}.md`, `# ${name(n)}\n\n${links.map((link) => `- part_of [[${link}]]\n`).join("")}`);
  }
  return memory;
}

// A memory whose every text tries to be more than a text: bullets, headings, paragraphs, code, entries, metadata.
export function hostileMemory(program, work, texts) {
  const memory = new Memory(program, work, "hostile");
  memory.run(["init", "memory"]);
  const all = JSON.parse(readFileSync(texts, "utf8")).filter((text) => !text.includes("\0"));
  const own = [
    "<script>window.ran = 1</script>",
    "</script><script>window.ran = 2</script>",
    "<img src=x onerror='window.ran = 3'>",
    "<svg onload='window.ran = 4'>",
    "[click](javascript:window.ran=5)",
    "<a href='javascript:window.ran=6'>x</a>",
    "![x](https://example.com/pixel.png)",
    "<iframe src='https://example.com/'></iframe>",
    "<style>body{background:url(https://example.com/x)}</style>",
    "<link rel=stylesheet href=https://example.com/x.css>",
    "<base href='https://example.com/'>",
    "<meta http-equiv=refresh content='0;url=https://example.com/'>",
    '" onmouseover="window.ran=7',
    "{{ 7 * 7 }} {% raw %} $" + "{window.ran=8}",
    "<!-- </script> --><!--",
    "[[<img src=x onerror=window.ran=9>]]",
    '[x](https://example.com/"onmouseover="window.ran=10)',
    "<form action=https://example.com/><button>x</button></form>",
  ];
  const line = (text) => text.replace(/[\r\n]+/g, " ");
  for (const [n, text] of own.entries()) {
    const meta = `<!-- mem src="${text.replace(/[">]/g, "")}" -->`;
    const head = `# ${line(text)}\n\n> Summary: ${line(text)}\n\n- ${line(text)}\n  ${meta}\n`;
    memory.put(`facts/own-${n}.md`, `${head}\n## ${line(text)}\n\n${text}\n`);
  }
  for (let at = 0; at < all.length; at += 60) {
    const part = all.slice(at, at + 60);
    memory.put(`facts/list-${at}.md`, `# List\n\n${part.map((text) => `- ${line(text)}\n`).join("")}`);
    memory.put(`notes/raw-${at}.md`, part.join("\n\n"));
    memory.put(
      `episodes/2026-${String(1 + ((at / 60) % 12)).padStart(2, "0")}.md`,
      part.map((text) => `## ${line(text)}\n- Date: 2026-01-02\n- Summary: ${line(text)}\n\n`).join(""),
    );
  }
  for (const text of own) {
    memory.run(["add", "user", "--", text], { allowed: [0, 5] });
    memory.run(["add", "user", "--", `Phone: ${text}`], { as: "claude<b>", allowed: [0, 2, 5] });
    memory.run(["add", "user", "-m", text, "--", `because ${text}`], { allowed: [0, 5] });
  }
  return memory;
}
