"use strict";

function valueOf(row, column) {
  const cell = row.cells[column];
  return cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v);
}

function compare(one, other) {
  if (typeof one === "number" && typeof other === "number") return one - other;
  return String(one).localeCompare(String(other), undefined, { numeric: true });
}

function sortBy(table, header) {
  const column = header.cellIndex;
  const isNumber = header.classList.contains("number");
  const before = header.getAttribute("aria-sort");
  const falling = before ? before === "ascending" : isNumber;
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", falling ? "descending" : "ascending");
  const body = table.tBodies[0];
  const keyed = Array.from(body.rows, (row) => [valueOf(row, column), row]);
  keyed.sort((a, b) => (falling ? compare(b[0], a[0]) : compare(a[0], b[0])));
  body.append(...keyed.map((pair) => pair[1]));
}

function filter(part) {
  const wanted = part.querySelector("input").value.trim().toLocaleLowerCase();
  const verdict = part.querySelector("select").value;
  const rows = part.querySelector("tbody").rows;
  let shown = 0;
  for (const row of rows) {
    const names = Array.from(row.querySelectorAll(".label"), (cell) => cell.textContent.toLocaleLowerCase());
    const fits = names.some((name) => name.includes(wanted)) && (!verdict || row.dataset.verdict === verdict);
    row.hidden = !fits;
    shown += fits;
  }
  const all = `${rows.length} ${rows.length === 1 ? "row" : "rows"}`;
  part.querySelector("output").textContent = shown === rows.length ? all : `${shown} of ${all}`;
}

for (const part of document.querySelectorAll(".table")) {
  const table = part.querySelector("table");
  for (const header of table.tHead.rows[0].cells) {
    const button = header.querySelector("button");
    button.disabled = false;
    button.addEventListener("click", () => sortBy(table, header));
  }
  const tools = part.querySelector(".tools");
  tools.hidden = false;
  tools.addEventListener("input", () => filter(part));
  filter(part);
}
