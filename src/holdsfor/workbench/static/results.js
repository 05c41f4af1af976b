// What a run found: a table of intervals, and the timeline, which is a page of its own in a frame.
import { askWhy } from "/static/why.js";

const element = (id) => document.getElementById(id);

export function showTimeline(run) {
  const frame = document.createElement("iframe");
  frame.src = `/picture/timeline/${run}`;
  frame.title = "Timeline of what holds when";
  element("timeline").replaceChildren(frame);
}

export function showRun(data) {
  const table = document.createElement("table");
  const head = table.createTHead().insertRow();
  for (const name of data.columns) {
    const cell = document.createElement("th");
    cell.textContent = name.replaceAll("_", " ");
    head.append(cell);
  }
  const body = table.createTBody();
  for (const row of data.rows) {
    const line = body.insertRow();
    for (const value of row) line.insertCell().textContent = value === null ? "inf" : String(value);
    line.className = "ask";
    line.tabIndex = 0;
    const record = Object.fromEntries(data.columns.map((name, at) => [name, row[at]]));
    line.onclick = () => askWhy(questionOf(record), record.start);
    line.onkeydown = (event) => event.key === "Enter" && line.click();
  }
  const more = data.intervals - data.rows.length;
  const note = document.createElement("p");
  note.className = "empty";
  note.textContent = more > 0 ? `… and ${more.toLocaleString()} more` : data.intervals ? "" : "Nothing holds at any time.";
  element("table").replaceChildren(table, note);
}

const questionOf = (record) =>
  "fluent" in record ? `${record.fluent}=${record.value}` : `${record.predicate}(${record.args.replaceAll("|", ",")})`;

// The timeline tells which interval was chosen in it.
addEventListener("message", (event) => {
  if (event.origin !== location.origin && event.origin !== "null") return;
  const chosen = event.data;
  if (chosen && chosen.kind === "holdsfor-interval") askWhy(String(chosen.question), chosen.at);
});
