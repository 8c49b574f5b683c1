// Opens the page in headless Chromium and uses it as people do: node run.mjs PROGRAM PACKAGES [--bless].
//
// PACKAGES is the folder with node_modules. --bless stores the pictures of the page and those in docs/.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { bigMemory, exampleMemory, hostileMemory, linkedMemory } from "./memories.mjs";

const [program, packages, ...options] = process.argv.slice(2);
const isBlessing = options.includes("--bless");
const require = createRequire(join(resolve(packages), "package.json"));
const { chromium } = require("playwright-core");
const { PNG } = require("pngjs");
const pixelmatch = (await import(require.resolve("pixelmatch"))).default;
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const work = mkdtempSync(join(tmpdir(), "memdir-page."));
const widths = { desktop: [1280, 900], tablet: [820, 1100], phone: [390, 844] };
const views = ["files", "timeline", "inbox", "links", "figures", "review"];
// Fonts differ a little between machines; a broken layout differs a lot.
const MAX_DIFFERENCE = 0.06;
const MAX_OPEN_MS = 1000;
const MAX_KEY_MS = 50;
const MAX_OVERHEAD = 1.5e6;

function check(condition, what) {
  if (!condition) throw new Error(what);
}

// A page that fails the run if it says, asks or requests anything.
async function open(browser, file, settings = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...settings });
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => complaints.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on("popup", () => complaints.push("a window was opened"));
  const address = `file://${file}`;
  const protocol = await context.newCDPSession(page);
  await protocol.send("Network.enable");
  protocol.on("Network.requestWillBeSent", ({ request }) => {
    if (request.url.split("#")[0] !== address) complaints.push(`request: ${request.url.slice(0, 200)}`);
  });
  await page.goto(address);
  const close = async () => {
    check(complaints.length === 0, `the page was not silent:\n${complaints.join("\n")}`);
    await context.close();
  };
  return { page, context, address, close };
}

async function isAccessible(page, where) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  const lines = violations.map((one) => `${one.id}: ${one.nodes[0].target} ${one.nodes[0].failureSummary}`);
  check(lines.length === 0, `${where}: ${lines.join("\n")}`);
}

async function search(page, text) {
  await page.fill("#query", text);
  return page.locator("#hits code").allTextContents();
}

async function showsEveryView(browser, file) {
  for (const colorScheme of ["light", "dark"]) {
    const { page, address, close } = await open(browser, file, { colorScheme });
    for (const view of views) {
      await page.click(`.views a[href="#${view}"]`);
      await page.waitForSelector(`#${view}`, { state: "visible", timeout: 5000 });
      check((await page.locator(".view:visible").count()) === 1, `${view} is not alone`);
      await isAccessible(page, `${view}, ${colorScheme}`);
    }
    await page.click('.views a[href="#files"]');
    await page.waitForSelector("#files", { state: "visible", timeout: 5000 });
    await page.locator(".bullets li > a").nth(3).click();
    await isAccessible(page, `details, ${colorScheme}`);
    await search(page, "display");
    await isAccessible(page, `results, ${colorScheme}`);
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const before = await background();
    await page.click("#theme");
    check((await background()) !== before, "the theme does not change");
    await page.goto(`${address}#f0`);
    check(await page.isVisible("#f0"), "the address of a file does not show it");
    await close();
  }
}

async function ranksLikeQuery(browser, file, memory) {
  const { page, close } = await open(browser, file);
  for (const word of ["display", "test", "gasket", "release", "2026", "units", "the-tide", "harbour"]) {
    const shown = await search(page, word);
    // Files of archive/ and inbox/ are not in the page.
    const files = ["facts", "episodes", "procedures"].flatMap((folder) => ["--in", folder]);
    const answer = JSON.parse(memory.run(["--json", "query", "-a", "-L", "0", ...files, word]));
    const expected = answer.items.map((item) => item.address);
    const first = shown.slice(0, Math.min(expected.length, 30));
    check(JSON.stringify(first) === JSON.stringify(expected.slice(0, 30)), `${word}: ${shown}\nnot ${expected}`);
  }
  check((await search(page, "gask")).length > 0, "the beginning of a word finds nothing");
  check((await search(page, "hiking-zzz")).length === 0, "a word that is nowhere finds something");
  const [handle] = (await page.locator(".bullets li > a").allTextContents()).filter((text) => /^@/.test(text));
  check(
    (await search(page, handle)).some((address) => address.endsWith(handle)),
    "a handle is not found",
  );
  await close();
}

async function worksFromTheKeyboard(browser, file) {
  const { page, close } = await open(browser, file);
  const focused = () => page.evaluate(() => document.activeElement.id || document.activeElement.textContent);
  await page.keyboard.press("Tab");
  check((await focused()) === "Skip to the content", "the first stop does not skip the head");
  await page.keyboard.press("/");
  check((await focused()) === "query", "/ does not begin a search");
  await page.keyboard.type("display");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  const second = await page.locator("#hits a").nth(1).getAttribute("href");
  await page.keyboard.press("Enter");
  await page.waitForFunction((id) => document.querySelector(id)?.classList.contains("target"), second);
  check(await page.isVisible(second), "Enter does not show the item");
  check(await page.isVisible(`${second} > .details`), "its details are not open");
  await page.keyboard.press("/");
  await page.keyboard.type("tide");
  await page.keyboard.press("Escape");
  check(await page.isHidden("#results"), "Escape does not end the search");
  await page.locator(".bullets li > a").first().focus();
  await page.keyboard.press("Enter");
  check(await page.isVisible(".bullets li:first-child > .details"), "Enter on a handle opens nothing");
  check((await page.locator("header, nav, main, footer, [role=search]").count()) > 4, "landmarks are missing");
  await close();
}

async function copies(browser, file) {
  for (const isOpen of [true, false]) {
    const { page, context, close } = await open(browser, file);
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    // Some browsers keep the clipboard from the pages of files.
    if (!isOpen) await page.evaluate(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
    const copied = async () => {
      await page.evaluate(() => {
        document.querySelector("#query").value = "";
      });
      await page.focus("#query");
      await page.keyboard.press("Control+v");
      return page.inputValue("#query");
    };
    const handle = page.locator("#f0 .bullets li > a").first();
    const address = `${await page.getAttribute("#f0", "data-path")}${await handle.textContent()}`;
    await handle.click();
    await page.click('.details button[aria-label="Copy the address"]');
    await page.waitForFunction(() => document.querySelector("#said").textContent.startsWith("Copied "));
    check((await copied()) === address, `copied ${await copied()}, not ${address}`);
    await page.fill("#query", "");
    await page.click('.views a[href="#inbox"]');
    await page.locator("#inbox .command button").first().click();
    await page.waitForFunction(() => document.querySelector("#said").textContent.includes("inbox"));
    check((await copied()).startsWith("memdir inbox --accept p"), "the command is not copied");
    await close();
  }
}

async function filtersTheTimeline(browser, file) {
  const { page, address, close } = await open(browser, file);
  await page.goto(`${address}#timeline`);
  const rows = () => page.locator(".day ol > li:visible").count();
  const all = await rows();
  await page.selectOption("#kind", "episode");
  const episodes = await rows();
  await page.selectOption("#kind", "change");
  const changes = await rows();
  check(episodes > 5 && changes > 8 && episodes + changes === all, `${all}: ${episodes} and ${changes}`);
  const writer = await page.locator("#writer option", { hasText: "claude" }).getAttribute("value");
  await page.selectOption("#writer", writer);
  const names = await page.locator(".day ol > li:visible .what > b").allTextContents();
  check(names.length > 1 && names.every((name) => name === "claude"), `${names}`);
  await close();
}

async function followsLinksInTheGraph(browser, file) {
  const { page, address, close } = await open(browser, file);
  await page.goto(`${address}#links`);
  check((await page.locator("#graph .node").count()) === 300, "files are missing");
  const labels = () =>
    page
      .locator("#graph text")
      .evaluateAll((all) =>
        all
          .filter((text) => getComputedStyle(text).visibility === "visible")
          .map((text) => text.getBoundingClientRect().toJSON()),
      );
  const overlaps = (boxes) => {
    const meet = (a, b) => a.left < b.right - 2 && b.left < a.right - 2 && a.top < b.bottom - 3 && b.top < a.bottom - 3;
    return boxes.filter((box, n) => boxes.some((other, m) => m < n && meet(box, other))).length;
  };
  const first = await labels();
  check(
    first.length >= 30 && overlaps(first) <= first.length / 50,
    `${first.length} labels, ${overlaps(first)} overlap`,
  );
  await page.click('[data-zoom="1"]');
  await page.click('[data-zoom="1"]');
  check((await labels()).length > 200, "an enlarged graph has no more labels");
  await page.click('[data-zoom="0"]');
  await page.locator("#graph .node").first().focus();
  check((await page.locator("#graph .near").count()) > 1, "the neighbours are not shown");
  const target = await page.locator("#graph .node").first().getAttribute("href");
  await page.keyboard.press("Enter");
  await page.waitForFunction((id) => document.querySelector(id)?.checkVisibility(), target);
  await page.setViewportSize({ width: widths.phone[0], height: widths.phone[1] });
  await page.goto("about:blank");
  await page.goto(`${address}#links`);
  const small = await labels();
  const [graph] = await page.locator("#graph").evaluateAll((all) => all.map((svg) => svg.getBoundingClientRect()));
  const isWhole = (box) => box.height >= 9 && box.left >= graph.left && box.right <= graph.right;
  check(small.length >= 3 && small.every(isWhole) && overlaps(small) === 0, `on a phone: ${JSON.stringify(small)}`);
  const tab = await page.locator(".views a[aria-current]").boundingBox();
  check(tab.x >= 0 && tab.x + tab.width <= widths.phone[0], "the view's name is cut off on a phone");
  await close();
}

async function prints(browser, file) {
  const { page, close } = await open(browser, file, { colorScheme: "dark" });
  await page.emulateMedia({ media: "print" });
  check(await page.isHidden(".tree"), "the list of files is printed");
  check(await page.isHidden("#theme"), "buttons are printed");
  check((await page.locator(".file:visible").count()) === 8, "files are missing on paper");
  const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  check(paper === "rgb(255, 255, 255)", `paper is ${paper}`);
  const pdf = await page.pdf({ format: "A4" });
  check(pdf.length > 20_000, `the PDF has ${pdf.length} bytes`);
  await close();
}

async function isReadableWithoutScript(browser, file) {
  const { page, close } = await open(browser, file, { javaScriptEnabled: false });
  for (const view of views) check(await page.isVisible(`#${view}`), `${view} needs the script`);
  await close();
}

async function keepsHostileTextsInert(browser, file) {
  const { page, address, close } = await open(browser, file);
  const hasRun = () => page.evaluate(() => globalThis.ran);
  for (const view of views) {
    await page.goto(`${address}#${view}`);
    check((await hasRun()) === undefined, `a text has run: ${await hasRun()}`);
  }
  await page.goto(`${address}#files`);
  for (const text of ["script", "onerror", "javascript", "window", "<img", "'\"", "${", "\u202e", "猫"]) {
    await search(page, text);
    for (const link of await page.locator("#hits a").all()) await link.hover({ timeout: 500 }).catch(() => {});
  }
  await page.fill("#query", "");
  // Every detail is opened, every link inside the page is followed; the addresses of all links are looked at.
  await page.evaluate(() => {
    for (const handle of [...document.querySelectorAll(".bullets li > a:first-child")].slice(0, 400)) handle.click();
  });
  const links = await page.locator("a[href]").evaluateAll((all) => all.map((link) => link.getAttribute("href")));
  const odd = links.filter((link) => !/^(#|https?:\/\/|mailto:)/i.test(link));
  check(odd.length === 0, `links lead to ${odd}`);
  const foreign = await page
    .locator("body script:not(#data), iframe, img, object, embed, base, form[action], link, body style")
    .count();
  check(foreign === 0, `${foreign} elements of a text`);
  check((await hasRun()) === undefined, `a text has run: ${await hasRun()}`);
  await close();
}

async function isFast(browser, file, memory) {
  const texts = Number(
    memory
      .run(["list", "--json"])
      .match(/"size":\d+/g)
      .reduce((sum, size) => sum + Number(size.slice(7)), 0),
  );
  const overhead = statSync(file).size - texts;
  check(overhead <= MAX_OVERHEAD, `${overhead} bytes more than the texts`);
  const opened = [];
  for (let round = 0; round < 3; round += 1) {
    const { page, close } = await open(browser, file);
    opened.push(
      await page.evaluate(async () => {
        await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
        return performance.now();
      }),
    );
    await close();
  }
  const { page, close } = await open(browser, file);
  // From the key to the new layout, the slowest of a key's runs left out.
  const keys = await page.evaluate(async () => {
    const field = document.querySelector("#query");
    const timed = [];
    const type = async (text) => {
      field.value = text;
      const begun = performance.now();
      field.dispatchEvent(new Event("input", { bubbles: true }));
      document.body.getBoundingClientRect();
      const took = performance.now() - begun;
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      return took;
    };
    for (const word of ["quartz", "lighthouse", "bacedi", "memo", "tuva hale", "1234"]) {
      for (let length = 1; length <= word.length; length += 1)
        timed.push([word.slice(0, length), await type(word.slice(0, length))]);
    }
    return timed;
  });
  const hits = await search(page, "quartz");
  check(hits.length === 1, `${hits.length} hits`);
  await close();
  const median = opened.sort((a, b) => a - b)[1];
  const slowest = keys.toSorted((a, b) => b[1] - a[1])[0];
  const middle = keys.map(([, took]) => took).sort((a, b) => a - b)[keys.length >> 1];
  console.log(
    `  10,000 bullets: ${overhead} bytes more than the texts, opened in ${median.toFixed(0)} ms, ` +
      `a key takes ${middle.toFixed(1)} ms, '${slowest[0]}' ${slowest[1].toFixed(1)} ms at most`,
  );
  check(median <= MAX_OPEN_MS, `it opens in ${median} ms`);
  check(slowest[1] <= MAX_KEY_MS, `the key of '${slowest[0]}' takes ${slowest[1]} ms`);
}

// The page at three widths in two themes, at half its size, against the stored pictures.
async function looksAsBefore(browser, file) {
  const folder = join(root, "fixtures", "page");
  mkdirSync(folder, { recursive: true });
  for (const [name, [width, height]] of Object.entries(widths)) {
    for (const colorScheme of ["light", "dark"]) {
      const settings = { viewport: { width, height }, deviceScaleFactor: 0.5, colorScheme };
      const { page, close } = await open(browser, file, settings);
      const picture = await page.screenshot();
      const stored = join(folder, `${name}-${colorScheme}.png`);
      if (isBlessing) writeFileSync(stored, picture);
      check(existsSync(stored), `${stored} does not exist`);
      const [is, was] = [PNG.sync.read(picture), PNG.sync.read(readFileSync(stored))];
      check(is.width === was.width && is.height === was.height, `${name} has another size`);
      const different = pixelmatch(is.data, was.data, null, is.width, is.height, { threshold: 0.25 });
      const share = different / (is.width * is.height);
      if (share > MAX_DIFFERENCE) writeFileSync(join(tmpdir(), `memdir-page-${name}-${colorScheme}.png`), picture);
      check(share <= MAX_DIFFERENCE, `${name}, ${colorScheme}: ${(share * 100).toFixed(1)} % of the picture differ`);
      const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
      check(!isWide, `${name} scrolls sideways`);
      await close();
    }
  }
  if (isBlessing) await pictureDocs(browser, file);
}

async function pictureDocs(browser, file) {
  const picture = async (name, colorScheme, act) => {
    const settings = { viewport: { width: 1100, height: 640 }, colorScheme };
    const { page, address, close } = await open(browser, file, settings);
    await act(page, address);
    writeFileSync(join(root, "docs", name), await page.screenshot());
    await close();
  };
  await picture("page-memory.png", "light", async (page) => {
    const bullet = page
      .locator('[data-path="facts/project.md"] li', { hasText: "the installer is one static binary" })
      .first();
    await bullet.locator("> a").click();
    await bullet.evaluate((element) => element.scrollIntoView({ block: "center", behavior: "instant" }));
    await page.evaluate(() => document.activeElement.blur());
  });
  await picture("page-timeline.png", "dark", (page, address) => page.goto(`${address}#timeline`));
}

async function main() {
  const example = exampleMemory(program, work);
  const page = example.page("page");
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
  const parts = {
    looksAsBefore: () => looksAsBefore(browser, page),
    showsEveryView: () => showsEveryView(browser, page),
    ranksLikeQuery: () => ranksLikeQuery(browser, page, example),
    worksFromTheKeyboard: () => worksFromTheKeyboard(browser, page),
    copies: () => copies(browser, page),
    filtersTheTimeline: () => filtersTheTimeline(browser, page),
    prints: () => prints(browser, page),
    isReadableWithoutScript: () => isReadableWithoutScript(browser, page),
    followsLinksInTheGraph: () => followsLinksInTheGraph(browser, linkedMemory(program, work).page("page")),
    keepsHostileTextsInert: () => {
      const memory = hostileMemory(program, work, join(root, "fixtures", "hostile", "texts.json"));
      return keepsHostileTextsInert(browser, memory.page("page"));
    },
    isFast: () => {
      const memory = bigMemory(program, work);
      return isFast(browser, memory.page("page"), memory);
    },
  };
  let failed = 0;
  for (const [name, run] of Object.entries(parts)) {
    const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    try {
      await run();
      console.log(`the page ${words}: ok`);
    } catch (error) {
      failed += 1;
      console.log(`the page ${words}: FAILED: ${error.message}`);
    }
  }
  await browser.close();
  return failed;
}

try {
  process.exitCode = (await main()) === 0 ? 0 : 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}
