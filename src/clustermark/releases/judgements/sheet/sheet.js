"use strict";

const sheet = JSON.parse(document.getElementById("data").textContent);
const part = (id) => document.getElementById(id);
const KEYS = { s: "same", d: "different", "?": "unknown" };
const PLACE = `clustermark-sheet-${sheet.sheet}`;
/* an id of several parts has a column for each part */
const IDS = [...sheet.ids.map((names) => names[1]), ...sheet.ids.map((names) => names[2])];
const COLUMNS = ["question", ...IDS, "answer", "judge", "date", "sheet", "seed", "left_print", "right_print"];
let state = { judge: "", at: 0, answers: {} };
let unsaved = false;

function complain(text) {
  part("trouble").textContent = text;
  part("trouble").hidden = false;
}

/* each answer is a separate item of localStorage, so that two tabs do not overwrite each other; the history of this
   tab also contains all answers, because localStorage can be empty after a reload of a busy browser */
function keep(questions = []) {
  try {
    history.replaceState({ ...state, sheet: sheet.sheet }, "");
  } catch {
    /* this browser limits changes per second; the next change stores all answers */
  }
  try {
    localStorage.setItem(PLACE, JSON.stringify({ judge: state.judge, at: state.at }));
    for (const question of questions) {
      localStorage.setItem(`${PLACE}-${question}`, JSON.stringify(state.answers[question]));
    }
  } catch {
    complain("This browser stores nothing between visits: save your answers before you close or reload this page.");
  }
}

function adopt(kept) {
  state.judge = String(kept.judge || state.judge);
  state.at = Number(kept.at) || 0;
  for (const [question, said] of Object.entries(kept.answers || {})) {
    const before = state.answers[question];
    if (said && said.answer && (!before || before.date <= said.date)) state.answers[question] = said;
  }
}

function remember() {
  try {
    const answers = {};
    for (const name of Object.keys(localStorage)) {
      if (name.startsWith(`${PLACE}-`)) answers[name.slice(PLACE.length + 1)] = JSON.parse(localStorage.getItem(name));
    }
    adopt({ ...JSON.parse(localStorage.getItem(PLACE)), answers });
  } catch {
    complain("The answers that this browser stored cannot be read; continue from a saved file.");
  }
  if (history.state?.sheet !== sheet.sheet) return; // the file now contains another sheet
  adopt(history.state);
  keep(Object.keys(state.answers));
}

function answered(one) {
  return Object.hasOwn(state.answers, one.question);
}

/* a value is a list of parts; every second part differs from the other record */
function cell(parts) {
  const found = document.createElement("td");
  const wrap = (tag, text) => Object.assign(document.createElement(tag), { textContent: text });
  if (parts.join("")) found.append(...parts.map((text, place) => (place % 2 ? wrap("mark", text) : text)));
  else found.append(Object.assign(wrap("span", "nothing"), { className: "none" }));
  return found;
}

function line(name, left, right) {
  const row = document.createElement("tr");
  const head = document.createElement("th");
  head.scope = "row";
  head.textContent = name;
  row.append(head, cell(left), cell(right));
  row.className = left.join("") === right.join("") ? "" : "differs";
  return row;
}

function show() {
  const total = sheet.questions.length;
  const ready = sheet.questions.filter(answered).length;
  state.at = Math.min(Math.max(0, Math.trunc(state.at)), Math.max(0, total - 1));
  const one = sheet.questions[state.at];
  part("progress").textContent = total
    ? `Question ${state.at + 1} of ${total}; ${ready} answered, ${total - ready} to go`
    : "There is no question: all were answered before.";
  part("bar").max = Math.max(1, total);
  part("bar").value = ready;
  part("done").hidden = ready < total;
  part("question").hidden = !one;
  if (!one) return;
  const rows = sheet.columns.map((name, place) => line(name, one.left_values[place], one.right_values[place]));
  const ids = sheet.ids.map(([name, left, right]) => line(name, [one[left], "", ""], [one[right], "", ""]));
  for (const row of ids) row.className = "";
  part("pair").replaceChildren(...rows, ...ids);
  for (const answer of Object.values(KEYS)) {
    const chosen = answered(one) && state.answers[one.question].answer === answer;
    part(answer).setAttribute("aria-pressed", String(chosen));
  }
}

function move(step) {
  state.at += step;
  keep();
  show();
}

function choose(answer) {
  const one = sheet.questions[state.at];
  if (!one) return;
  state.answers[one.question] = { answer, date: new Date().toISOString() };
  unsaved = true;
  const after = sheet.questions.findIndex((other, place) => place > state.at && !answered(other));
  const first = sheet.questions.findIndex((other) => !answered(other));
  state.at = after >= 0 ? after : first >= 0 ? first : state.at;
  keep([one.question]);
  show();
}

/* spreadsheets would run such a text as a formula; an apostrophe prevents it */
function guard(text) {
  const runs = /^[=+\-@\t\r\n＝＋－＠']/.test(text) && !/^[-+]?\d+([.,]\d+)*$/.test(text);
  return runs ? `'${text}` : text;
}

function field(value) {
  const text = guard(String(value));
  return /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function csv() {
  const rows = sheet.questions.filter(answered).map((one) => {
    const said = state.answers[one.question];
    const own = { answer: said.answer, date: said.date, judge: state.judge, sheet: sheet.sheet, seed: sheet.seed };
    return COLUMNS.map((name) => field(Object.hasOwn(own, name) ? own[name] : one[name])).join(",");
  });
  return [COLUMNS.join(","), ...rows, ""].join("\n");
}

function save() {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([csv()], { type: "text/csv" }));
  const judge = state.judge.replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 40);
  link.download = `answers-${judge || "judge"}-${sheet.sheet}.csv`;
  link.click();
  URL.revokeObjectURL(link.href);
  unsaved = false;
}

function readCsv(text) {
  const rows = [[""]];
  let quoted = false;
  for (const mark of text.replace(/^\ufeff/, "").replaceAll("\r\n", "\n")) {
    const row = rows[rows.length - 1];
    if (quoted && mark !== '"') row[row.length - 1] += mark;
    else if (mark === '"') {
      if (!quoted && row.again) row[row.length - 1] += '"';
      quoted = !quoted;
      row.again = !quoted;
      continue;
    } else if (mark === ",") row.push("");
    else if (mark === "\n") rows.push([""]);
    else row[row.length - 1] += mark;
    row.again = false;
  }
  const [names, ...values] = rows.filter((row) => row.length > 1);
  return (values || []).map((row) => Object.fromEntries(names.map((name, place) => [name, row[place] || ""])));
}

async function load(file) {
  const rows = readCsv(await file.text()).filter((row) => row.sheet === sheet.sheet);
  if (!rows.length) {
    complain("This file holds no answers to the questions of this sheet.");
    return;
  }
  for (const row of rows) {
    if (Object.values(KEYS).includes(row.answer)) state.answers[row.question] = { answer: row.answer, date: row.date };
  }
  state.judge = state.judge || rows[0].judge.replace(/^'/, "");
  part("judge").value = state.judge;
  const first = sheet.questions.findIndex((one) => !answered(one));
  state.at = first >= 0 ? first : 0;
  keep(Object.keys(state.answers));
  show();
}

remember();
part("judge").value = state.judge;
for (const answer of Object.values(KEYS)) part(answer).addEventListener("click", () => choose(answer));
part("back").addEventListener("click", () => move(-1));
part("next").addEventListener("click", () => move(1));
part("save").addEventListener("click", save);
part("load").addEventListener("change", (event) => event.target.files.length && load(event.target.files[0]));
part("judge").addEventListener("input", (event) => {
  state.judge = event.target.value;
  keep();
});
document.addEventListener("keydown", (event) => {
  if (event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey || event.altKey) return;
  const answer = KEYS[event.key.toLowerCase()];
  if (answer && !event.repeat) choose(answer);
  else if (event.key === "ArrowLeft") move(-1);
  else if (event.key === "ArrowRight") move(1);
  else return;
  event.preventDefault();
});
window.addEventListener("beforeunload", (event) => {
  if (unsaved && !part("trouble").hidden) event.preventDefault();
});
show();
