// ---- numbers, as Python writes them

function countText(count) {
  if (typeof count === "string") return BigInt(count).toLocaleString("en-US");
  if (Number.isInteger(count)) return count.toLocaleString("en-US");
  if (Math.abs(count) >= 100) return count.toLocaleString("en-US", { maximumFractionDigits: 1 });
  return String(Number(count.toPrecision(4)));
}

function scoreText(score) {
  const scaled = score * 1e4;
  const low = Math.floor(scaled);
  return scaled - low === 0.5 && low % 2 === 0 ? (low / 1e4).toFixed(4) : score.toFixed(4);
}

// ---- the tables: the first clusters are rows of HTML, the others are in the data of the page

const MOST_DRAWN = 500;
const carried = JSON.parse(document.getElementById("rows").textContent);
const byId = (id) => document.getElementById(id);
const all = (where, root = document) => Array.from(root.querySelectorAll(where));
const state = { q: "", side: "pred", filter: "" };
let marked = null; // the side and label of the cluster whose row was the target of a link

function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

// larger integers are not exact in JavaScript, so they stay texts
function numberOf(text) {
  return /^\d{16,}$/.test(text) && Number(text) >= 2 ** 53 ? text : Number(text);
}

function readLine(line) {
  return Array.from(line.cells, (cell, column) => {
    if (column === 1) return line.dataset.verdict;
    if (column === 0 || column === 3) return cell.querySelector("bdi")?.textContent ?? null;
    return numberOf(cell.dataset.v);
  });
}

function readEntry(entry, side) {
  const [label, verdict, match, size, matchSize, shared, jci, meets, lost, wrong] = entry;
  const own = shared ? shared / size : 0;
  const across = shared ? shared / matchSize : 0;
  const jaccard = shared ? shared / (Number(matchSize) - Number(shared) + Number(size)) : 0;
  const [precision, recall] = side === "pred" ? [own, across] : [across, own];
  const name = carried.verdicts[verdict];
  return [label, name, size, match, matchSize, shared, precision, recall, jaccard, jci, meets, lost, wrong];
}

function leaning(lost, wrong, side) {  // pairs lost count once, and pairs with strangers half
  const [thrice, all] = [3 * Number(lost), Number(wrong)];
  return thrice === all ? "" : (thrice > all) === (side === "pred") ? "mostly merged" : "mostly split";
}

class Table {
  constructor(part) {
    this.part = part;
    this.side = part.dataset.side;
    this.body = part.querySelector("tbody");
    this.rows = Array.from(this.body.rows, readLine).concat(carried[this.side].map((entry) => readEntry(entry, this.side)));
    this.order = { column: 12, falling: true };
    this.heads = all("thead th", part);
    part.querySelector(".extent").classList.add("on-paper"); // on the screen, the found rows are counted instead
    this.heads.forEach((head, column) => {
      const button = head.querySelector("button");
      button.disabled = false;
      button.addEventListener("click", () => this.sortBy(column));
    });
    for (const chip of all("[data-filter]", part)) {
      chip.disabled = false;
      chip.addEventListener("click", () => change({ filter: state.filter === chip.dataset.filter ? "" : chip.dataset.filter }));
    }
  }

  sortBy(column) {
    const before = this.heads[column].getAttribute("aria-sort");
    const { classList } = this.heads[column];
    const falling = before ? before === "ascending" : classList.contains("number") && !classList.contains("score"); // the worst first
    this.heads.forEach((head) => head.removeAttribute("aria-sort"));
    this.heads[column].setAttribute("aria-sort", falling ? "descending" : "ascending");
    this.order = { column, falling };
    const compare = (one, other) => {
      const [a, b] = [one[column], other[column]];
      if (this.heads[column].classList.contains("number")) return Number(a) - Number(b);
      return String(a ?? "").localeCompare(String(b ?? ""), undefined, { numeric: true });
    };
    this.rows.sort((one, other) => (falling ? compare(other, one) : compare(one, other)));
    this.draw();
  }

  fitting(query = state.q) {
    const fits = matcher(query);
    const named = (row) => !query || fits(row[0]) || fits(row[3] ?? "no label") || holds(`${this.side} ${row[0]}`, fits);
    return this.rows.filter((row) => (!state.filter || row[1] === state.filter) && named(row));
  }

  draw() {
    const found = this.fitting();
    const shown = found.slice(0, MOST_DRAWN);
    const here = marked?.side === this.side ? this.rows.filter((row) => row[0] === marked.label) : [];
    shown.unshift(...here.filter((row) => !shown.includes(row)));
    this.body.replaceChildren(...shown.map((row) => this.drawRow(row, here.includes(row))));
    const total = Number(this.part.dataset.total);
    const of = this.rows.length < total ? `${countText(this.rows.length)} that this page carries, of ${countText(total)}` : countText(total);
    const drawn = found.length > MOST_DRAWN ? `; the first ${MOST_DRAWN} of them are shown, as sorted` : "";
    const order = `sorted by ${this.heads[this.order.column].querySelector("button").textContent}, ${this.order.falling ? "falling" : "rising"}`;
    const said = this.part.querySelector(".found");
    said.replaceChildren(`${countText(found.length)} of ${of}${drawn}; ${order}.`);
    if (marked?.side === this.side) said.append(here.length ? " Marked: " : " This page does not carry ", make("bdi", "", marked.label), ". ", ...(cameFrom ? [backLink()] : []));
    for (const chip of all("[data-filter]", this.part)) chip.setAttribute("aria-pressed", String(chip.dataset.filter === state.filter));
    return found.length;
  }

  drawRow(row, here) {
    const line = make("tr", here ? "here" : "");
    line.dataset.verdict = row[1];
    if (here) line.tabIndex = -1;
    row.forEach((value, column) => {
      const cell = make(column ? "td" : "th", this.heads[column].className);
      if (column === 0) cell.scope = "row";
      if (column === 0) cell.append(drawers.get(`${this.side} ${value}`) ? linkTo(this.side, value) : make("bdi", "", value), ...repairLinks(this.side, value));
      else if (column === 1) {
        cell.append(make("span", `is ${value.split(" ")[0]}`, value));
        if (value === "mixed") cell.append(make("small", "", leaning(row[11], row[12], this.side)));
      }
      else if (column === 3) cell.append(value === null ? make("em", "", "no label") : linkTo(this.side === "pred" ? "true" : "pred", value));
      else {
        cell.dataset.v = value;
        cell.textContent = column >= 6 && column <= 9 ? scoreText(value) : countText(value);
        if (column === 8) {
          cell.classList.add("share");
          cell.style.setProperty("--share", `${(100 * value).toFixed(1)}%`);
        }
      }
      line.append(cell);
    });
    return line;
  }
}

// a name that two clusters share links to their rows instead of a drawer
const drawers = new Map();
for (const drawer of all(".drawer")) {
  const key = `${drawer.dataset.side} ${drawer.dataset.label}`;
  drawers.set(key, drawers.has(key) ? null : `#${drawer.id}`);
}

const addressOf = (side, label) => drawers.get(`${side} ${label}`) ?? `#side=${side}&row=${encodeURIComponent(label)}`;

function linkTo(side, label) {
  const link = make("a", "to");
  link.href = addressOf(side, label);
  link.append(make("bdi", "", label));
  return link;
}

function clusterOf(link) {
  const drawer = byId(link.hash.slice(1))?.dataset;
  const found = new URLSearchParams(link.hash.slice(1));
  return drawer ? [drawer.side, drawer.label] : [found.get("side"), found.get("row")];
}

const repairsOf = new Map();
for (const item of all("[id^=repair-]")) {
  for (const link of all("a.to", item)) {
    const key = clusterOf(link).join(" ");
    repairsOf.set(key, new Set([...(repairsOf.get(key) ?? []), item.id]));
  }
}

function repairLinks(side, label) {
  return Array.from(repairsOf.get(`${side} ${label}`) ?? []).slice(0, 3).map((id) => {
    const link = make("a", "mend", `repair ${id.slice(7)}`);
    link.href = `#${id}`;
    return link;
  });
}

const tables = all(".table").map((part) => new Table(part));

// ---- links back

let cameFrom = "";

function backLink() {
  const back = make("a", "back", "back to where you were");
  back.href = cameFrom;
  return back;
}

// the part of the page that is visible below the bar
function partInView() {
  const bar = document.querySelector(".head-bar").getBoundingClientRect();
  const there = document.elementsFromPoint(bar.left + bar.width / 2, bar.bottom + 40).find((one) => !one.closest(".head-bar"));
  return there?.closest("li[id], figure[id], .drawer, section[id], header");
}

addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='#']");
  const target = link && byId(link.getAttribute("href").slice(1));
  const drawer = target?.closest(".drawer");
  if (!drawer && !/[#&]row=/.test(link?.hash ?? link?.getAttribute("href") ?? "")) return;
  const from = link.closest("#hits") ? partInView() : link.closest("[id]");
  if (!from?.id || from === drawer) return;
  cameFrom = `#${from.id}`;
  if (!drawer) return;
  const back = make("span", "return");
  back.append(backLink(), " · ");
  drawer.querySelector(".return")?.remove();
  drawer.querySelector("summary + .note").prepend(back);
});

// ---- filters by name or verdict

function show() {
  const counts = {};
  for (const table of tables) {
    counts[table.side] = table.draw();
    table.part.hidden = table.side !== (marked?.side ?? state.side);
  }
  const fits = matcher(state.q);
  for (const item of all(".errors > li")) item.hidden = !all("bdi", item).some((name) => fits(name.textContent)) && state.q !== "";
  hideDrawers(fits);
  countFolds();
  byId("find").value = state.q;
  sayFilter(counts);
  for (const choice of all("[name=side]")) choice.checked = choice.value === (marked?.side ?? state.side);
  dispatchEvent(new Event("shown"));
}

function sayFilter(counts) {
  const said = byId("found");
  if (!state.q) return said.replaceChildren();
  const clear = make("button", "", "show all");
  clear.type = "button";
  clear.addEventListener("click", () => change({ q: "" }));
  said.replaceChildren(`Only ${countText(counts.pred)} predicted, ${countText(counts.true)} true `, clear);
}

function countFolds() {
  for (const part of all("details.fold:not(.drawer)")) {
    const items = all(".drawer, .errors > li", part);
    if (!items.length) continue;
    const summary = part.querySelector("summary");
    const left = items.filter((item) => !item.hidden).length;
    part.dataset.all ??= summary.textContent;
    summary.textContent = state.q ? `${countText(left)} of ${part.dataset.all}` : part.dataset.all;
    if (state.q && part.dataset.open === undefined) part.dataset.open = part.open ? "yes" : "";
    if (state.q) part.open = left > 0;
    else if (part.dataset.open !== undefined) {
      part.open = part.dataset.open === "yes";
      delete part.dataset.open;
    }
  }
}

function change(part) {
  Object.assign(state, part);
  marked = null;
  const said = new URLSearchParams(Object.entries(state).filter(([name, value]) => value && !(name === "side" && value === "pred")));
  history.replaceState(null, "", said.size ? `#${said}` : location.pathname);
  show();
}

function goToTable(said) {
  const side = said.get("side") === "true" ? "true" : "pred";
  marked = said.has("row") ? { side, label: said.get("row") } : null;
  if (!marked) Object.assign(state, { q: said.get("q") ?? "", side, filter: said.get("filter") ?? "" });
  show();
  const line = document.querySelector(".table:not([hidden]) .here");
  const target = line ?? byId("clusters");
  target.scrollIntoView({ block: line ? "center" : "start" });
  target.focus({ preventScroll: true });
}

function follow() {
  const hash = location.hash.slice(1);
  if (/^(q|side|filter)=/.test(hash) && tables.length) return goToTable(new URLSearchParams(hash));
  const target = hash && byId(hash);
  const hides = state.q && target && target.closest("[hidden]"); // a filter must not hide the target of a link
  if (tables.length && (marked || hides)) {
    marked = null; // show the table as before the link to a row
    if (hides) Object.assign(state, { q: "", filter: "" });
    show();
  }
  if (!target) return;
  for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  if (target.matches("a.mark")) {
    target.closest("figure").scrollIntoView();
    return target.focus({ preventScroll: true });
  }
  target.scrollIntoView();
  // focus the summary: with the focus on the drawer itself, the keyboard could not reach its content
  if (target.matches("details")) target.querySelector("summary").focus({ preventScroll: true });
  else if (target.tabIndex === -1 && target.hasAttribute("tabindex")) target.focus({ preventScroll: true });
}

// a link to the current address triggers no hashchange event
addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='#']");
  if (!link || link.getAttribute("href") !== location.hash) return;
  event.preventDefault();
  follow();
});

if (tables.length) {
  offerSearch();
  const sides = document.querySelector(".sides");
  sides.hidden = false;
  sides.addEventListener("change", (event) => change({ side: event.target.value }));
  show();
}

// ---- tabs

const tabs = all("[role=tab]");
function choose(tab) {
  for (const other of tabs) {
    other.setAttribute("aria-selected", String(other === tab));
    other.tabIndex = other === tab ? 0 : -1;
    byId(other.getAttribute("aria-controls")).hidden = other !== tab;
  }
}
if (tabs.length) {
  tabs[0].parentElement.hidden = false;
  tabs.forEach((tab, place) => {
    const panel = byId(tab.getAttribute("aria-controls"));
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", tab.id);
    tab.addEventListener("click", () => choose(tab));
    tab.addEventListener("keydown", (event) => {
      if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
      const next = tabs[(place + 1) % tabs.length];
      choose(next);
      next.focus();
    });
  });
  choose(tabs[0]);
}

// ---- a note above frames that scroll sideways, and the height of the bar, which must not cover the target of a link

function sayWidth(frame) {
  frame.previousElementSibling.hidden = frame.scrollWidth <= frame.clientWidth + 1;
}
const widths = new ResizeObserver((seen) => seen.forEach(({ target }) => sayWidth(target)));
for (const frame of all(".wide, .clusters, .scroll:has(> .rows)")) {
  frame.before(make("p", "note sideways", "Scroll sideways for the rest →"));
  widths.observe(frame);
}
const bar = document.querySelector(".head-bar");
new ResizeObserver(() => { document.documentElement.style.setProperty("--bar", `${bar.offsetHeight + 12}px`); }).observe(bar);

// a phone shows each value of a record on a line, after the name of its column
addEventListener("toggle", ({ target }) => {
  for (const table of target.matches(".drawer") ? all(".records:not(.named)", target) : []) {
    const names = all("thead th", table).map((head) => head.textContent);
    for (const line of table.querySelectorAll("tbody tr")) {
      Array.from(line.cells).forEach((cell, place) => { if (cell.matches("td:not([colspan])")) cell.dataset.name = names[place]; });
    }
    table.classList.add("named");
  }
}, true);

// ---- the title in the bar while the heading is out of sight

const heading = document.querySelector("h1");
new IntersectionObserver(([seen]) => document.body.classList.toggle("at-top", seen.isIntersecting)).observe(heading);

// ---- the rows of long tables beyond the first

for (const button of all("[data-more]")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const body = byId(button.dataset.more);
    const kinds = Array.from(body.rows[0].cells, (cell) => cell.className);
    for (const row of carried.more[button.dataset.more]) {
      const line = make("tr");
      row.forEach((value, place) => {
        const [text, below] = Array.isArray(value) ? value : [value];
        const cell = make(place ? "td" : "th", kinds[place]);
        if (!place) cell.scope = "row";
        cell.append(make("bdi", "", text), ...(below ? [make("small", "", below)] : []));
        line.append(cell);
      });
      body.append(line);
    }
    button.parentElement.remove();
  });
}

// ---- folds, copies, light and dark, print

const folds = all("details.fold");
folds.forEach((fold) => { fold.open = false; });
addEventListener("beforeprint", () => folds.forEach((fold) => { fold.open = true; }));

for (const button of all(".copy")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const done = () => { button.textContent = "copied"; setTimeout(() => { button.textContent = "copy"; }, 1500); };
    navigator.clipboard.writeText(button.dataset.copy).then(done, () => { button.textContent = button.dataset.copy; });
  });
}

const theme = byId("theme");
const prefersDark = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (document.documentElement.dataset.theme ?? (prefersDark.matches ? "dark" : "light")) === "dark";
const nameTheme = () => { theme.textContent = isDark() ? "Light" : "Dark"; };
theme.hidden = false;
theme.addEventListener("click", () => {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  nameTheme();
});
prefersDark.addEventListener("change", nameTheme);
nameTheme();

addEventListener("hashchange", follow);
if (location.hash) follow();
