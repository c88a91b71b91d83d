"use strict";

// ---- search for clusters and records: comparison of names, content of the page, list of hits

const MOST_HITS = 12;
const THING = document.querySelector("main").dataset.thing; // the name of a point
const LETTERS = { ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", ı: "i" };
const folded = new Map();

// case, accents, spaces and hyphens make no difference
function fold(text) {
  if (!folded.has(text)) {
    const bare = text.toLowerCase().normalize("NFD").replace(/[\u0300-\u036f]/g, "").replace(/[ßæœøłđðþı]/g, (letter) => LETTERS[letter]);
    folded.set(text, bare.replace(/[\s\p{Pd}_]+/gu, " ").trim());
  }
  return folded.get(text);
}

// the name must contain all words; a query in quotes must equal the whole name
function matcher(query) {
  const wanted = query.trim().toLocaleLowerCase();
  const exact = wanted.length > 2 && wanted.startsWith('"') && wanted.endsWith('"');
  const words = fold(wanted).split(" ");
  const fits = exact ? (name) => name.toLocaleLowerCase() === wanted.slice(1, -1)
    : words[0] ? (name) => words.every((word) => fold(name).includes(word))
    : (name) => name.toLocaleLowerCase().includes(wanted);
  return Object.assign(fits, { exact });
}

// the content of the clusters on the page: records, one per line, and clusters of the other side
let contents = null;

function readContents() {
  contents = { records: [], names: new Map(), lines: new Map(), drawers: new Map() };
  const add = (kind, key, texts) => contents[kind].set(key, [...(contents[kind].get(key) ?? []), ...texts]);
  const namesIn = (part) => all("a.to bdi", part).map((name) => name.textContent);
  for (const item of all("#merges li, #splits li")) add("names", clusterOf(item.querySelector("a.to")).join(" "), namesIn(item));
  const seen = new Set();
  for (const drawer of all(".drawer")) {
    const lines = all(".records:not(.pairs) tbody tr", drawer).filter((line) => line.querySelector("td")).map((line, place) => {
      line.id = `${drawer.id}-${place + 1}`;
      line.tabIndex = -1;
      const values = all("td", line).map((cell) => cell.textContent);
      return { values, text: values.join(" "), address: `#${line.id}`, drawer };
    });
    contents.records.push(...lines.filter((line) => !seen.has(line.text))); // most records are listed on both sides
    lines.forEach((line) => seen.add(line.text));
    const key = `${drawer.dataset.side} ${drawer.dataset.label}`;
    add("names", key, namesIn(drawer));
    add("lines", key, lines.map((line) => line.text));
    contents.drawers.set(drawer, key);
  }
}

function holds(key, fits) {
  if (!contents) readContents();
  const among = (texts) => (texts ?? []).some((text) => fits(text));
  return among(contents.names.get(key)) || (!fits.exact && among(contents.lines.get(key)));
}

// ---- the list below the box

const quantity = (count, noun) => `${countText(count)} ${noun}${Number(count) === 1 ? "" : "s"}`;
const sideText = (side) => (side === "true" ? "true" : "predicted");

function makeHit(address, before, name, after) {
  const link = make("a");
  link.href = address;
  link.append(before, make("bdi", "", name), make("small", "", after));
  return link;
}

function findRecords(fits) {
  if (!contents) readContents();
  return contents.records.filter((line) => (fits.exact ? line.values.some((value) => fits(value)) : fits(line.text)));
}

function listHits(query) {
  const fits = matcher(query);
  const records = findRecords(fits);
  const clusters = tables.flatMap((table) => table.rows.filter((row) => fits(row[0])).map((row) => [table.side, row]));
  const whole = ([, row]) => fold(row[0]) === fold(query.trim());
  clusters.sort((one, other) => whole(other) - whole(one));
  const shown = clusters.slice(0, Math.max(MOST_HITS / 2, MOST_HITS - records.length));
  const hits = shown.map(([side, row]) => makeHit(addressOf(side, row[0]), `${sideText(side)} cluster `, row[0], `${row[1]}, ${quantity(row[2], THING)}`));
  for (const { values, address, drawer } of records.slice(0, MOST_HITS - shown.length)) {
    const { side, label } = drawer.dataset;
    hits.push(makeHit(address, "record ", values[0], `${values.slice(1).join(", ")} (${sideText(side)} cluster ${label})`));
  }
  const [pred, true_] = ["pred", "true"].map((side) => tables.find((table) => table.side === side).fitting(query).length);
  if (pred + true_) {
    const left = clusters.length + records.length - hits.length;
    const address = new URLSearchParams({ q: query, side: state.side });
    const within = `lists and tables with the ${countText(pred)} predicted and ${countText(true_)} true clusters only that have this name, match it or hold it`;
    hits.push(makeHit(`#${address}`, "", "show only these", `${left ? `${countText(left)} more; ` : ""}${within}`));
    hits.at(-1).className = "only";
  }
  const found = [[clusters, "cluster"], [records, "record"]].filter(([some]) => some.length);
  if (!state.q) byId("found").textContent = found.map(([some, noun]) => quantity(some.length, noun)).join(", ");
  return hits.length ? hits : [make("span", "note", "Nothing on this page has this name.")];
}

// typing does not move the page; choosing a hit of the list does
function showHits(query) {
  const list = byId("hits");
  list.replaceChildren(...(query ? listHits(query) : []).map((hit) => {
    const item = make("li");
    item.append(hit);
    return item;
  }));
  if (!query && !state.q) byId("found").textContent = "";
  list.hidden = !query;
}

function hideDrawers(fits) {
  const records = state.q ? findRecords(fits) : [];
  for (const drawer of all(".drawer")) {
    drawer.hidden = state.q !== "" && !fits(drawer.dataset.label) && !holds(contents.drawers.get(drawer), fits) && !records.some((line) => line.drawer === drawer);
  }
}

function offerSearch() {
  const [box, list] = [byId("find"), byId("hits")];
  box.parentElement.hidden = false;
  if (document.querySelector(".drawer")) box.placeholder = "any cluster or record";
  const leave = () => { // the list stays, hidden, until the click has been handled
    list.hidden = true;
    box.value = state.q;
    if (!state.q) byId("found").textContent = "";
  };
  box.addEventListener("input", () => {
    showHits(box.value);
    if (!box.value && state.q) change({ q: "" });
  });
  box.addEventListener("focus", () => { if (box.value) showHits(box.value); });
  const finder = list.parentElement;
  finder.addEventListener("focusout", (event) => { if (!finder.contains(event.relatedTarget)) list.hidden = true; });
  list.addEventListener("mousedown", (event) => event.preventDefault()); // the box keeps the focus until the click
  list.addEventListener("click", (event) => { if (event.target.closest("a")) leave(); });
  finder.addEventListener("keydown", (event) => {
    const stops = [box, ...all("a", list)];
    const place = stops.indexOf(document.activeElement);
    if (event.key === "Escape") {
      box.focus();
      showHits("");
      if (state.q) change({ q: "" });
      box.value = "";
    }
    if (event.key === "Enter" && place === 0 && stops[1]) {
      event.preventDefault();
      stops[1].click();
    }
    const next = stops[place + { ArrowDown: 1, ArrowUp: -1 }[event.key]];
    if (!next) return;
    event.preventDefault();
    list.hidden = false;
    next.focus();
  });
}
