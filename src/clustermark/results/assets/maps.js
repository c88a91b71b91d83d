
// ---- map and flow: the clusters shown, the shade of the map, and the selected clusters

const SVG = "http://www.w3.org/2000/svg";
const figures = { map: byId("overlap-map"), flow: byId("flow") };
const maps = JSON.parse(byId("maps")?.textContent ?? "{}");
const MEASURES = { jaccard: "Jaccard", row: "% of the true cluster", column: "% of the predicted cluster", count: `${THING}s` };
const STRONG = { jaccard: "strong where the two clusters are nearly the same", row: "strong where most of the true cluster is", column: "strong where most of the predicted cluster is", count: `strong where many ${THING}s are` };
const OUTSIDE = { others: "other clusters", alone: "alone, such as noise", unmatched: "on this side only" };
const WRITTEN = 12, FAINT = 0.06, BEHIND_NUMBERS = 0.55, SOLID = 0.8, NODE = 14, LINE = 14;
const chosenIn = (name) => document.querySelector(`[name=${name}]:checked`)?.value;

function draw(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function drawMark(said, path, style, data = {}) {
  const mark = draw("g", { class: "mark" }, draw("title", {}, said), draw("path", { d: path, style }));
  Object.assign(mark.dataset, data);
  return mark;
}

const drawText = (x, y, text, more = {}) => draw("text", { x, y, style: "font-size: 11px; fill: var(--ink)", ...more }, text);
const square = (x, y, side) => `M ${x} ${y} h ${side} v ${side} h ${-side} z`;

function shareText(share) {
  if (share > 0 && share < 0.001) return "<0.1%";
  if (share > 0.999 && share < 1) return ">99.9%";
  return `${(100 * share).toFixed(share === 0 || share === 1 ? 0 : 1)}%`;
}

function linesOf(map) {
  const [rows, columns] = [map.true.labels.length, map.pred.labels.length];
  return { rows, columns, right: Object.entries(map.true.margins), below: Object.entries(map.pred.margins) };
}

function cellData(map, row, column) {
  return { true: map.true.labels[row], pred: map.pred.labels[column], at: `${row} ${column}` };
}

function drawMap(map) {
  const { rows, columns, right, below } = linesOf(map);
  const written = Math.max(rows, columns) <= WRITTEN;
  const side = written ? 44 : Math.max(rows, columns) <= 24 ? 26 : 15;
  const room = (lines, margins) => 14 + 6.6 * Math.max(...lines.short.map((name) => name.length), ...margins.map(([name]) => name.length));
  const [left, bottom, gap] = [18 + room(map.true, below), 18 + room(map.pred, right), 0.35 * side];
  const [width, height] = [columns, rows].map((n, place) => n * side + ([right, below][place].length ? gap + [right, below][place].length * side : 0));
  const svg = draw("svg", { class: "chart", role: "group", viewBox: `0 0 ${left + width + 4} ${height + bottom}` });
  const cell = (x, y, said, colour, count, share, data) => {
    const shade = FAINT + ((written ? BEHIND_NUMBERS : 1) - FAINT) * share;
    svg.append(
      drawMark(said, square(x, y, side), `fill: var(--${colour}); opacity: ${shade}`, data),
      draw("path", { d: square(x, y, side), style: `fill: none; stroke: var(--${colour}); stroke-width: .7; pointer-events: none` }),
    );
    if (written) svg.append(draw("g", { class: "number" }, drawText(x + side / 2, y + side / 2, countText(count), { "text-anchor": "middle", "dominant-baseline": "central" })));
  };
  for (const [row, column, count] of map.cells) {
    const [a, b] = [Number(map.true.sizes[row]), Number(map.pred.sizes[column])];
    const shares = { jaccard: count / (a + b - count), row: Math.min(1, count / a), column: Math.min(1, count / b) };
    const said = `${map.true.names[row]} in ${map.pred.names[column]}: ${quantity(count, THING)}, ${shareText(shares.row)} of the true cluster, ${shareText(shares.column)} of the predicted, Jaccard ${shares.jaccard.toFixed(3)}`;
    cell(left + column * side, row * side, said, "true", count, shares.jaccard, { ...shares, count, ...cellData(map, row, column) });
  }
  const margin = (margins, lines, what, spot) => margins.forEach(([name, counts], place) => counts.forEach((count, line) => {
    if (!Number(count)) return;
    const share = Math.min(1, count / lines.sizes[line]);
    cell(...spot(place, line), `${lines.names[line]}, ${OUTSIDE[name]}: ${quantity(count, THING)}, ${shareText(share)} of the ${what} cluster`, "muted", count, share, { margin: name });
  }));
  margin(right, map.true, "true", (place, line) => [left + columns * side + gap + place * side, line * side]);
  margin(below, map.pred, "predicted", (place, line) => [left + line * side, rows * side + gap + place * side]);
  const name = (along, text, isRow, drawer) => {
    const drawn = isRow
      ? drawText(left - 6, along, text, { "text-anchor": "end", "dominant-baseline": "central" })
      : drawText(0, 0, text, { "text-anchor": "end", "dominant-baseline": "central", transform: `translate(${left + along} ${height + 6}) rotate(-90)` });
    svg.append(drawer ? draw("a", { class: "mark", href: drawer, "aria-label": `Records of ${text}` }, drawn) : drawn);
  };
  const title = { "text-anchor": "middle", style: "font-size: 11px; fill: var(--muted)" };
  svg.append(drawText(left + width / 2, height + bottom - 4, "predicted cluster", title), drawText(0, 0, "true cluster", { ...title, transform: `translate(12 ${height / 2}) rotate(-90)` }));
  map.true.short.forEach((text, row) => name((row + 0.5) * side, text, true, drawers.get(`true ${map.true.labels[row]}`)));
  map.pred.short.forEach((text, column) => name((column + 0.5) * side, text, false, drawers.get(`pred ${map.pred.labels[column]}`)));
  below.forEach(([text], place) => name(rows * side + gap + (place + 0.5) * side, text, true));
  right.forEach(([text], place) => name(columns * side + gap + (place + 0.5) * side, text, false));
  return svg;
}

function drawFlow(map) {
  const { rows, columns, right, below } = linesOf(map);
  const bands = map.cells.map(([row, column, count, kind]) => ({ row, column, count: Number(count), colour: kind, data: { count, ...cellData(map, row, column) } }));
  right.forEach(([, counts], place) => counts.forEach((count, row) => bands.push({ row, column: columns + place, count: Number(count), colour: "muted" })));
  below.forEach(([, counts], place) => counts.forEach((count, column) => bands.push({ row: rows + place, column, count: Number(count), colour: "muted" })));
  const shown = bands.filter((band) => band.count).sort((a, b) => a.row - b.row || a.column - b.column);
  const total = shown.reduce((sum, band) => sum + band.count, 0);
  const [top, width, middle] = [24, 360, 180];
  const scale = Math.max(420, 13 * Math.max(rows, columns)) / total;
  const names = { true: [...map.true.names, ...below.map(([name]) => name)], pred: [...map.pred.names, ...right.map(([name]) => name)] };
  const short = { true: [...map.true.short, ...below.map(([name]) => name)], pred: [...map.pred.short, ...right.map(([name]) => name)] };
  const stack = (side, key) => {
    let y = top;
    return names[side].map((_, place) => {
      const size = shown.reduce((sum, band) => sum + (band[key] === place ? band.count : 0), 0);
      const room = size ? Math.max(size * scale, LINE) : 0;
      const start = y + (room - size * scale) / 2;
      y += room + (size ? 3 : 0);
      return { y: start, used: start, height: size * scale, size };
    });
  };
  const nodes = { true: stack("true", "row"), pred: stack("pred", "column") };
  const bottom = Math.max(...[...nodes.true, ...nodes.pred].map((node) => node.y + Math.max(node.height, LINE)));
  const svg = draw("svg", { class: "chart", role: "group", viewBox: `-230 0 ${width + 460} ${bottom + 6}` });
  for (const band of shown) {
    const [from, to, height] = [nodes.true[band.row], nodes.pred[band.column], band.count * scale];
    const [x0, x1, y0, y1] = [NODE, width - NODE, from.used, to.used];
    from.used += height;
    to.used += height;
    const path = `M ${x0} ${y0} C ${middle} ${y0} ${middle} ${y1} ${x1} ${y1} v ${height} C ${middle} ${y1 + height} ${middle} ${y0 + height} ${x0} ${y0 + height} z`;
    svg.append(drawMark(`${names.true[band.row]} → ${names.pred[band.column]}: ${quantity(band.count, THING)}`, path, `fill: var(--${band.colour}); opacity: ${SOLID}`, band.data));
  }
  for (const side of ["true", "pred"]) {
    const [x, textX, anchor, n] = side === "true" ? [0, -6, "end", rows] : [width - NODE, width + 6, "start", columns];
    svg.append(drawText(textX, 12, side === "true" ? "true" : "predicted", { "text-anchor": anchor }));
    nodes[side].forEach((node, place) => {
      if (!node.size) return;
      svg.append(draw("path", { d: `M ${x} ${node.y} h ${NODE} v ${node.height} h ${-NODE} z`, style: `fill: var(--${place < n ? "ink" : "muted"})` }));
      const y = node.y + node.height / 2;
      const size = place < n ? ` · ${countText(map[side].sizes[place])}` : "";
      svg.append(drawText(textX, y, `${short[side][place]}${size}`, { "text-anchor": anchor, "dominant-baseline": "central" }));
    });
  }
  return svg;
}

function shade(measure) {
  const numbers = all(".number", figures.map);
  const marks = all(".mark[data-count]", figures.map);
  const written = numbers.length > 0;
  const largest = Math.max(...marks.map((mark) => Number(mark.dataset.count)));
  const percent = measure === "row" || measure === "column";
  marks.forEach((mark, place) => {
    const value = Number(mark.dataset[measure]) / (measure === "count" ? largest : 1);
    mark.querySelector("path").style.opacity = FAINT + ((written ? BEHIND_NUMBERS : 1) - FAINT) * value;
    if (!written) return;
    const { count } = mark.dataset;
    numbers[place].querySelector("text").textContent = percent ? `${Math.round(100 * value)}` : measure === "jaccard" && shaded ? value.toFixed(2) : countText(Number(count));
  });
  document.querySelector(".shades").style.setProperty("--dark", `${100 * (written ? BEHIND_NUMBERS : 1)}%`);
  document.querySelector(".scale .strong").textContent = STRONG[measure];
  document.querySelector(".scale .end").textContent = measure === "count" ? countText(largest) : percent ? "100" : "1";
  document.querySelector(".scale .what").textContent = MEASURES[measure];
  const note = figures.map.querySelector("figcaption").lastChild;
  note.textContent = note.textContent.replace(/shaded by [^.]*/, `shaded by ${MEASURES[measure]}`);
}
let shaded = false;

// ---- a selection applies to all parts of the page

let picked = { true: null, pred: null };
const isPicked = (side, label) => picked[side] !== null && picked[side] === label;

function pick(next) {
  picked = { true: null, pred: null, ...next };
  paintPicked();
}

function paintPicked() {
  const some = picked.true !== null || picked.pred !== null;
  for (const figure of Object.values(figures)) {
    figure.classList.toggle("picking", some);
    for (const mark of all(".mark[data-at]", figure)) {
      const is = isPicked("true", mark.dataset.true) || isPicked("pred", mark.dataset.pred);
      mark.classList.toggle("picked", is);
      mark.setAttribute("aria-pressed", String(is));
    }
  }
  for (const item of all(".errors > li")) item.classList.toggle("picked", all("a.to", item).some((link) => isPicked(...clusterOf(link))));
  for (const drawer of all(".drawer")) drawer.classList.toggle("picked", isPicked(drawer.dataset.side, drawer.dataset.label));
  for (const table of tables) {
    for (const row of table.body.rows) row.classList.toggle("picked", isPicked(table.side, row.querySelector("bdi").textContent));
  }
  const said = document.querySelector(".picks");
  said.hidden = !some;
  if (!some) return said.replaceChildren();
  const links = ["true", "pred"].filter((side) => picked[side] !== null).flatMap((side) => [` ${side === "true" ? "true" : "predicted"} `, linkTo(side, picked[side])]);
  const clear = make("button", "", "clear");
  clear.type = "button";
  clear.addEventListener("click", () => pick({}));
  said.replaceChildren("Selected:", ...links, " ", clear);
}

function say(text) {
  document.querySelector(".said").textContent = text;
}

function walk(event, marks) {
  const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
  const { dataset } = event.currentTarget;
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    pick({ true: dataset.true, pred: dataset.pred });
  }
  if (!(event.key in steps)) return;
  event.preventDefault();
  const place = (mark) => mark.dataset.at.split(" ").map(Number);
  const [row, column] = place(event.currentTarget);
  const [down, right] = steps[event.key];
  const ahead = marks
    .map((mark) => [mark, (place(mark)[0] - row) * down + (place(mark)[1] - column) * right, Math.abs((place(mark)[0] - row) * right) + Math.abs((place(mark)[1] - column) * down)])
    .filter(([, along]) => along > 0)
    .sort((a, b) => a[2] + a[1] - b[2] - b[1]);
  if (ahead.length) ahead[0][0].focus();
}

function enliven(figure) {
  const marks = all(".mark[data-at]", figure);
  marks.forEach((mark, place) => {
    mark.setAttribute("tabindex", place ? "-1" : "0");
    mark.setAttribute("role", "button");
    const said = mark.querySelector("title").textContent;
    mark.setAttribute("aria-label", said);
    mark.addEventListener("keydown", (event) => walk(event, marks));
    mark.addEventListener("focus", () => {
      marks.forEach((other) => other.setAttribute("tabindex", other === mark ? "0" : "-1"));
      say(said);
    });
    mark.addEventListener("mouseenter", () => say(said));
    mark.addEventListener("mouseleave", () => say(""));
    mark.addEventListener("click", () => {
      const { true: row, pred } = mark.dataset;
      pick(picked.true === row && picked.pred === pred ? {} : { true: row, pred });
    });
  });
  return marks.length;
}

// the links of a chart are one tab stop; the arrow keys move between them
function rove(svg) {
  const links = all("a.mark", svg);
  const stopAt = (chosen) => links.forEach((link) => link.setAttribute("tabindex", link === chosen ? "0" : "-1"));
  stopAt(links[0]);
  links.forEach((link, place) => {
    link.addEventListener("focus", () => stopAt(link));
    link.addEventListener("keydown", (event) => {
      const steps = { ArrowLeft: place - 1, ArrowUp: place - 1, ArrowRight: place + 1, ArrowDown: place + 1, Home: 0, End: links.length - 1 };
      const next = links[steps[event.key]];
      if (!next) return;
      event.preventDefault();
      next.focus();
    });
  });
}
all("svg.chart").forEach(rove);

const drawings = {};

function showMap(name) {
  drawings[name] ??= { map: drawMap(maps[name]), flow: drawFlow(maps[name]), notes: maps[name].notes, fresh: true };
  for (const [kind, figure] of Object.entries(figures)) {
    const svg = drawings[name][kind];
    const caption = figure.querySelector("figcaption");
    figure.querySelector("div").replaceChildren(svg);
    if (drawings[name].fresh) {
      svg.style.minWidth = `${Math.round(0.8 * svg.viewBox.baseVal.width)}px`;
      svg.style.maxWidth = `${Math.round(1.2 * svg.viewBox.baseVal.width)}px`;
    }
    caption.lastChild.textContent = drawings[name].notes[kind];
    svg.setAttribute("aria-label", caption.textContent);
    if (!drawings[name].fresh) continue;
    enliven(figure);
    rove(svg);
  }
  drawings[name].fresh = false;
  all(".wide").forEach(sayWidth);
  const outside = document.querySelector(".outside");
  if (outside) outside.hidden = !["true", "pred"].some((side) => Object.keys(maps[name][side].margins).length);
  shade(chosenIn("measure"));
  paintPicked();
}

if (figures.map) {
  const [first] = Object.keys(maps);
  if (first) {
    const now = (kind) => figures[kind].querySelector("svg");
    drawings[first] = { map: now("map"), flow: now("flow"), notes: maps[first].notes };
    if (innerWidth < 640) { // few clusters fit on a phone
      document.querySelector("[name=most][value='12']").checked = true;
      showMap("worst-12");
    }
  }
  const measures = document.querySelector(".measures");
  measures.hidden = enliven(figures.map) + enliven(figures.flow) === 0;
  measures.addEventListener("change", (event) => {
    shaded = true;
    shade(event.target.value);
  });
  for (const which of all(".which")) {
    which.hidden = false;
    which.addEventListener("change", () => showMap(`${chosenIn("choose")}-${chosenIn("most")}`));
  }
  addEventListener("shown", paintPicked);
  addEventListener("keydown", (event) => { if (event.key === "Escape") pick({}); });
}
