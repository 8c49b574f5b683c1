// The page that `memdir export --to html` writes: views, search, copying, the graph. Everything that is shown is in the
// page already. Texts of the memory are only ever set as text, and nothing is requested from anywhere.
"use strict";

(() => {
  const root = document.documentElement;
  root.classList.add("js");

  const THEME_KEY = "memdir-theme";
  const SHOWN_HITS = 30;
  const LONGEST_HIT = 400;

  const byId = (id) => document.getElementById(id);

  function element(name, attributes, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  // What is looked up, parsed when it is first needed.
  let parsed = null;
  function data() {
    parsed ??= JSON.parse(byId("data").textContent);
    return parsed;
  }

  function say(text) {
    byId("said").textContent = text;
  }

  /* Themes */

  function isDark() {
    const chosen = root.dataset.theme;
    return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  }

  function stored(key, value) {
    // A browser may refuse to store anything for a file.
    try {
      if (value === undefined) return localStorage.getItem(key);
      localStorage.setItem(key, value);
    } catch {
      // Then the theme is that of the system.
    }
    return null;
  }

  function startTheme() {
    const saved = stored(THEME_KEY);
    if (saved === "dark" || saved === "light") root.dataset.theme = saved;
    const button = byId("theme");
    const label = () => {
      button.textContent = isDark() ? "Light" : "Dark";
      button.setAttribute("aria-label", isDark() ? "Use light colours" : "Use dark colours");
    };
    button.hidden = false;
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      stored(THEME_KEY, root.dataset.theme);
      label();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", label);
    label();
  }

  /* Copying */

  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // Where the clipboard is closed to scripts, a selection can still be copied.
      const area = element("textarea", { class: "hidden", "aria-hidden": "true" });
      area.value = text;
      document.body.append(area);
      area.select();
      const done = document.execCommand("copy");
      area.remove();
      return done;
    }
  }

  function copyButton(text, what) {
    const button = element("button", { type: "button", "aria-label": `Copy ${what}` }, "Copy");
    button.addEventListener("click", async () => {
      const done = await copy(text);
      button.focus();
      button.textContent = done ? "Copied" : "Not copied";
      say(done ? `Copied ${text}` : "The browser did not let the page copy.");
      setTimeout(() => {
        button.textContent = "Copy";
      }, 1500);
    });
    return button;
  }

  function startCommands() {
    for (const code of document.querySelectorAll(".command > code")) {
      code.after(copyButton(code.textContent, "the command"));
    }
  }

  /* Views */

  const views = () => [...document.querySelectorAll(".view")];

  function showView(id) {
    for (const view of views()) view.classList.toggle("shown", view.id === id);
    for (const link of document.querySelectorAll(".views a")) {
      if (link.hash === `#${id}`) {
        link.setAttribute("aria-current", "page");
        // The row of views is wider than a phone.
        link.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
      } else link.removeAttribute("aria-current");
    }
  }

  // Shows what the address names: a view, a file or an item.
  function followAddress() {
    const id = decodeURIComponent(location.hash.slice(1));
    const named = id ? byId(id) : null;
    const view = named?.closest(".view");
    for (const old of document.querySelectorAll(".target")) old.classList.remove("target");
    if (id !== "main" || !document.querySelector(".view.shown")) showView(view ? view.id : "files");
    if (!named || named === view) {
      if (named) scrollTo({ top: 0, behavior: "instant" });
      return;
    }
    clearSearch();
    if (named.matches(".bullets li")) openDetails(named);
    if (view) named.classList.add("target");
    named.scrollIntoView({ block: named.matches(".file") ? "start" : "center", behavior: "instant" });
    const focusable = named.querySelector("a") ?? named;
    if (named.matches(".bullets li")) focusable.focus({ preventScroll: true });
  }

  /* What is known about a bullet */

  const numberOf = (item) => item.id.slice(1);
  const pathOf = (item) => item.closest(".file")?.dataset.path ?? "";

  function addressOf(item) {
    if (item.dataset.at) return item.dataset.at;
    const handle = item.matches(".bullets li") ? item.querySelector("a").textContent : "";
    return pathOf(item) + handle;
  }

  // A command is only offered for an address that needs no quotes in any shell.
  const isPlain = (address) => /^[A-Za-z0-9][A-Za-z0-9._/#@=-]*$/.test(address);

  function lifeLine(step) {
    const { names, revisions } = data();
    const [change, rev = 0, by = 0, from = "", movedFrom = "", commit = ""] = step;
    const [at = "", writer = 0, reason = "", source = ""] = revisions[rev] ?? [];
    const line = element("li", {}, `${names[change]} by `, element("b", {}, names[rev ? writer : by]));
    for (const part of [at, rev ? `r${rev}` : "", commit, source && `from ${source}`, reason]) {
      if (part) line.append(element("small", {}, ` ${part}`));
    }
    if (movedFrom) line.append(element("q", {}, movedFrom));
    if (from) line.append(element("q", {}, from));
    return line;
  }

  function detailsOf(item) {
    const { meta, lives, command } = data();
    const address = addressOf(item);
    const list = element("dl", {});
    const row = (name, ...content) => list.append(element("dt", {}, name), element("dd", {}, ...content));
    const code = element("code", {}, address);
    row("Address", element("span", { class: "command" }, code, copyButton(address, "the address")));
    for (const [key, value] of meta[numberOf(item)] ?? []) row(key, value);
    const life = (lives[numberOf(item)] ?? []).map(lifeLine);
    if (life.length > 0) row("Life", element("ol", { class: "life" }, ...life));
    else row("Life", "not recorded on this machine");
    if (isPlain(address)) {
      const line = `${command} log ${address}`;
      row("History", element("span", { class: "command" }, element("code", {}, line), copyButton(line, "the command")));
    }
    return element("div", { class: "details" }, list);
  }

  function openDetails(item) {
    if (item.querySelector(":scope > .details")) return;
    const details = detailsOf(item);
    const below = item.querySelector(":scope > .bullets");
    if (below) below.before(details);
    else item.append(details);
    item.querySelector("a").setAttribute("aria-expanded", "true");
  }

  function toggleDetails(item) {
    const open = item.querySelector(":scope > .details");
    if (!open) {
      openDetails(item);
      history.replaceState(null, "", `#${item.id}`);
      return;
    }
    open.remove();
    item.classList.remove("target");
    item.querySelector("a").removeAttribute("aria-expanded");
  }

  function startFiles() {
    byId("files").addEventListener("click", (event) => {
      const handle = event.target.closest(".bullets li > a:first-child");
      if (!handle) return;
      event.preventDefault();
      toggleDetails(handle.parentElement);
    });
  }

  /* Search */

  const unspaced =
    /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u1100-\u11ff\u3130-\u318f\uac00-\ud7ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]|[\u{20000}-\u{3ffff}]/u;
  const fold = (word) => word.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replace(/’/g, "'");

  // The words of a text as `query` cuts them: scripts without spaces give characters and pairs.
  function wordsOf(text) {
    const found = [];
    for (const [run] of text.normalize("NFC").matchAll(/[\p{L}\p{N}\p{M}]+(?:['’]\p{L}+)*/gu)) {
      let word = "";
      let before = "";
      for (const letter of run) {
        if (unspaced.test(letter)) {
          if (word) found.push(fold(word));
          word = "";
          found.push(letter);
          if (before) found.push(before + letter);
          before = letter;
        } else {
          before = "";
          word += letter;
        }
      }
      if (word) found.push(fold(word).replace(/'s$/, ""));
    }
    return found;
  }

  // All words in order, each with its row in `data().words`.
  let index = null;
  function wordIndex() {
    if (index) return index;
    const entries = [];
    for (const [row, [words]] of data().words.entries()) {
      for (const word of words.split(" ")) entries.push([word, row]);
    }
    entries.sort((a, b) => (a[0] < b[0] ? -1 : Number(a[0] > b[0])));
    const items = Number(byId("data").dataset.items);
    index = {
      words: entries.map(([word]) => word),
      rows: entries.map(([, row]) => row),
      scores: new Float64Array(items + 1),
      further: new Float64Array(items + 1),
      decoded: new Map(),
    };
    return index;
  }

  function firstFrom(words, prefix) {
    let low = 0;
    let high = words.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (words[middle] < prefix) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  function rowsWithPrefix(prefix, longest = Infinity) {
    const { words, rows } = wordIndex();
    const found = new Set();
    for (let at = firstFrom(words, prefix); at < words.length && words[at].startsWith(prefix); at += 1) {
      if (words[at].length <= longest) found.add(rows[at]);
    }
    return found;
  }

  // A word that is nowhere may be another form of one that is: "hiking" of "hike".
  function rowsOfOtherForms(word) {
    for (let cut = 1; cut <= Math.min(5, word.length - 3); cut += 1) {
      const stem = word.slice(0, word.length - cut);
      const found = rowsWithPrefix(stem, stem.length + 3);
      if (found.size > 0) return found;
    }
    return new Set();
  }

  // The value of each digit of base 64, by its code.
  const digits = new Uint8Array(128);
  [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"].forEach((digit, value) => {
    digits[digit.charCodeAt(0)] = value;
  });

  // The items of a word, best first, with their scores.
  function hitsOf(row) {
    const { decoded } = wordIndex();
    const known = decoded.get(row);
    if (known) return known;
    const [, best, text] = data().words[row];
    const count = text.length / 4;
    const hits = { count, items: new Uint32Array(count), scores: new Float64Array(count) };
    for (let n = 0, at = 0; n < count; n += 1, at += 4) {
      const high = (digits[text.charCodeAt(at)] << 12) | (digits[text.charCodeAt(at + 1)] << 6);
      hits.items[n] = high | digits[text.charCodeAt(at + 2)];
      hits.scores[n] = ((best / 100) * digits[text.charCodeAt(at + 3)]) / 63 + 1e-9;
    }
    decoded.set(row, hits);
    return hits;
  }

  // The numbers of the items that match, best first: those with the words, then those with longer ones.
  function search(text) {
    const typed = [...new Set(wordsOf(text))];
    const { words, rows, scores, further } = wordIndex();
    const touched = [];
    const add = (sums, row) => {
      const hits = hitsOf(row);
      for (let n = 0; n < hits.count; n += 1) {
        const item = hits.items[n];
        if (scores[item] === 0 && further[item] === 0) touched.push(item);
        sums[item] += hits.scores[n];
      }
    };
    const longer = [];
    typed.forEach((word, position) => {
      const at = firstFrom(words, word);
      const exact = words[at] === word ? rows[at] : null;
      if (exact !== null) add(scores, exact);
      const others = position === typed.length - 1 || exact === null ? rowsWithPrefix(word) : new Set();
      if (exact === null && others.size === 0) longer.push(...rowsOfOtherForms(word));
      for (const row of others) if (row !== exact) longer.push(row);
    });
    for (const row of new Set(longer)) add(further, row);
    const order = touched.map((item, place) => [item, scores[item], further[item], place]);
    order.sort((a, b) => b[1] - a[1] || (a[1] > 0 ? a[3] - b[3] : b[2] - a[2] || a[3] - b[3]));
    for (const item of touched) {
      scores[item] = 0;
      further[item] = 0;
    }
    return { items: order.map(([item]) => item), typed };
  }

  function textOf(item) {
    const part = item.matches(".bullets li") ? item.querySelector(":scope > span") : item;
    const text = part.textContent.trim();
    return text.length > LONGEST_HIT ? `${text.slice(0, LONGEST_HIT)}…` : text;
  }

  // The text, with the words that were typed marked.
  function marked(text, typed) {
    const line = element("span", {});
    let end = 0;
    for (const match of text.matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
      const word = fold(match[0]);
      if (!typed.some((one) => word.startsWith(one) || (unspaced.test(one) && word.includes(one)))) continue;
      line.append(text.slice(end, match.index), element("mark", {}, match[0]));
      end = match.index + match[0].length;
    }
    line.append(text.slice(end));
    return line;
  }

  function hitLine(number, typed) {
    const item = byId(`i${number}`);
    if (!item) return "";
    const link = element("a", { href: `#i${number}` });
    link.append(element("code", {}, addressOf(item)), marked(textOf(item), typed));
    return element("li", {}, link);
  }

  function showResults() {
    const text = byId("query").value;
    const isSearching = text.trim() !== "";
    byId("results").hidden = !isSearching;
    root.classList.toggle("searching", isSearching);
    byId("results").querySelector("button")?.remove();
    if (!isSearching) {
      byId("hits").replaceChildren();
      return;
    }
    for (const view of views()) view.classList.remove("shown");
    // A handle is found as it is.
    const handle = /^@[0-9a-z]+$/i.test(text.trim()) ? text.trim().toLowerCase() : null;
    const { items, typed } = handle ? { items: itemsWithHandle(handle), typed: [] } : search(text);
    const show = (limit) => byId("hits").replaceChildren(...items.slice(0, limit).map((item) => hitLine(item, typed)));
    show(SHOWN_HITS);
    byId("found").textContent = items.length === 1 ? "1 item" : `${items.length} items`;
    if (items.length > SHOWN_HITS) {
      const button = element("button", { type: "button" }, `Show all ${items.length}`);
      button.addEventListener("click", () => {
        show(items.length);
        button.remove();
      });
      byId("results").append(button);
    }
  }

  function itemsWithHandle(handle) {
    const links = document.querySelectorAll(".bullets li > a:first-child");
    return [...links].filter((link) => link.textContent.includes(handle)).map((link) => numberOf(link.parentElement));
  }

  function clearSearch() {
    if (byId("query").value === "") return;
    byId("query").value = "";
    showResults();
  }

  function moveInHits(event, step) {
    const links = [...byId("hits").querySelectorAll("a")];
    const next = links[links.indexOf(document.activeElement) + step];
    event.preventDefault();
    if (next) next.focus();
    else if (step < 0) byId("query").focus();
  }

  function startSearch() {
    const field = byId("query");
    field.addEventListener("input", () => {
      showResults();
      if (field.value.trim() === "") followAddress();
    });
    field.form.addEventListener("submit", (event) => {
      event.preventDefault();
      byId("hits").querySelector("a")?.click();
    });
    byId("hits").addEventListener("click", (event) => {
      // The same address again is no change of it.
      const link = event.target.closest("a");
      if (link && link.hash === location.hash) {
        event.preventDefault();
        clearSearch();
        followAddress();
      }
    });
    document.addEventListener("keydown", (event) => {
      const isTyping = event.target.matches("input, select, textarea");
      const isSearching = root.classList.contains("searching");
      if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        field.select();
        field.focus();
      } else if (event.key === "Escape" && isSearching) {
        clearSearch();
        followAddress();
        field.focus();
      } else if (event.key === "ArrowDown" && isSearching && (event.target === field || !isTyping)) {
        moveInHits(event, 1);
      } else if (event.key === "ArrowUp" && isSearching && !isTyping) {
        moveInHits(event, -1);
      }
    });
  }

  /* Timeline */

  function startTimeline() {
    const [kind, writer] = [byId("kind"), byId("writer")];
    const filter = () => {
      let count = 0;
      for (const day of document.querySelectorAll(".day")) {
        let inDay = 0;
        for (const row of day.querySelectorAll("ol > li")) {
          const isWanted =
            (kind.value === "" || row.className === kind.value) &&
            (writer.value === "" || row.dataset.by === writer.value);
          row.hidden = !isWanted;
          if (isWanted) inDay += 1;
        }
        day.hidden = inDay === 0;
        count += inDay;
      }
      byId("timeline-count").textContent = kind.value || writer.value ? `${count} shown` : "";
    };
    kind.addEventListener("change", filter);
    writer.addEventListener("change", filter);
  }

  /* The graph */

  function startGraph() {
    const graph = byId("graph");
    if (!graph) return;
    const nodes = [...graph.querySelectorAll(".node")];
    const lines = [...graph.querySelectorAll("line")];
    const whole = graph.viewBox.baseVal;
    const { width, height } = whole;

    function point(node) {
      for (const part of [...nodes, ...lines]) part.classList.remove("near", "here");
      graph.classList.toggle("pointing", Boolean(node));
      if (!node) return;
      node.classList.add("here");
      const near = new Set(node.dataset.near.split(" "));
      for (const other of nodes) other.classList.toggle("near", near.has(other.dataset.n));
      for (const line of lines) {
        line.classList.toggle("near", [line.dataset.a, line.dataset.b].includes(node.dataset.n));
      }
    }

    function enlarge(level) {
      const factor = 2 ** level;
      const [middleX, middleY] = [whole.x + whole.width / 2, whole.y + whole.height / 2];
      [whole.width, whole.height] = [width / factor, height / factor];
      move(middleX - whole.width / 2, middleY - whole.height / 2);
      graph.dataset.level = String(level);
      graph.style.setProperty("--scale", String(1 / factor));
      const unit = Number(getComputedStyle(graph).getPropertyValue("--unit"));
      for (const circle of graph.querySelectorAll("circle")) {
        circle.dataset.r ??= circle.getAttribute("r");
        circle.setAttribute("r", String(Number(circle.dataset.r) * (unit / factor) ** 0.7));
      }
    }

    function move(x, y) {
      whole.x = Math.min(Math.max(x, 0), width - whole.width);
      whole.y = Math.min(Math.max(y, 0), height - whole.height);
    }

    for (const node of nodes) {
      node.addEventListener("pointerenter", () => point(node));
      node.addEventListener("pointerleave", () => point(null));
      node.addEventListener("focus", () => point(node));
      node.addEventListener("blur", () => point(null));
    }
    for (const button of document.querySelectorAll("[data-zoom]")) {
      button.addEventListener("click", () => {
        const step = Number(button.dataset.zoom);
        enlarge(step === 0 ? 0 : Math.min(Math.max(Number(graph.dataset.level) + step, 0), 2));
      });
    }
    enlarge(0);
    let from = null;
    graph.addEventListener("pointerdown", (event) => {
      from = [event.clientX, event.clientY, whole.x, whole.y];
    });
    graph.addEventListener("pointermove", (event) => {
      if (!from) return;
      const scale = whole.width / graph.clientWidth;
      move(from[2] - (event.clientX - from[0]) * scale, from[3] - (event.clientY - from[1]) * scale);
    });
    addEventListener("pointerup", () => {
      from = null;
    });
  }

  function start() {
    startTheme();
    startFiles();
    startSearch();
    startTimeline();
    startGraph();
    startCommands();
    addEventListener("hashchange", () => {
      clearSearch();
      followAddress();
    });
    followAddress();
    // The first letter that is typed shall not wait for the index.
    if ("requestIdleCallback" in globalThis) requestIdleCallback(wordIndex, { timeout: 2000 });
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
