// Runs, and what they found: a timeline, a table, a map and a graph. Pictures are pages of their own, in frames that can
// run their own scripts and touch nothing else.
import { ask, element, make, say } from "/static/talk.js";
import { texts } from "/static/rules.js";
import { askWhy, forgetAnswer, offer } from "/static/why.js";

let isRunning = false;
let last = null;
let ranOn = "";
let isMetric = false;

export const runNumber = () => last?.run ?? null;

export function setUpResults(desk) {
  isMetric = desk.is_metric;
  for (const one of document.querySelectorAll(".of-windows")) one.hidden = isMetric;
  element("run").onclick = run;
  element("ticks").onchange = showTimeline;
  // The timeline tells which interval was chosen in it.
  addEventListener("message", (event) => {
    const frame = element("timeline").querySelector("iframe");
    const chosen = event.data;
    if (!frame || event.source !== frame.contentWindow || chosen?.kind !== "holdsfor-interval") return;
    askWhy(String(chosen.question), String(chosen.at));
  });
}

const number = (id) => (element(id).value === "" ? null : Number(element(id).value));

export async function run() {
  if (isRunning) return;
  isRunning = true;
  element("run").disabled = true;
  say("running …");
  const files = texts();
  try {
    const options = isMetric ? {} : { window: number("window"), step: number("step") };
    last = await ask("/api/run", { files, ...options });
    ranOn = JSON.stringify(files);
    say(summary(last));
    showRun();
  } catch (problem) {
    const place = problem.findings?.[0];
    say(place ? `cannot run: line ${place.line}: ${problem.message}` : problem.message, true);
  } finally {
    isRunning = false;
    element("run").disabled = false;
  }
}

function summary(data) {
  const counted = (count, what) => `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`;
  const strange = Object.values(data.unknown).reduce((a, b) => a + b, 0);
  return [
    `${counted(data.intervals, "interval")} from ${counted(data.read, "row")}`,
    strange ? `${strange.toLocaleString("en")} of names no rule knows` : "",
    data.malformed ? `${data.malformed.toLocaleString("en")} malformed` : "",
  ].filter(Boolean).join(", ");
}

function showRun() {
  forgetAnswer();
  offer([...new Set(last.rows.map((row) => row.question))].slice(0, 200));
  showTimeline();
  showTable();
  showInput();
  element("tab-map").hidden = last.pictures.map === null;
  showMap();
  element("with-input").hidden = isMetric;
  tellSample();
}

function frame(address, title) {
  const made = make("iframe", { title });
  made.setAttribute("sandbox", "allow-scripts");
  made.src = address;
  return made;
}

// A picture is drawn when somebody looks: a frame that is not shown has no size.
function showPicture(panel, address, title) {
  if (panel.hidden || panel.dataset.address === address) return;
  panel.dataset.address = address;
  panel.replaceChildren(frame(address, title));
}

function showMap() {
  if (last?.pictures.map) showPicture(element("map"), last.pictures.map, "Map of where it holds");
}

export function showPictures() {
  showTimeline();
  showMap();
  showGraph();
}

function showTimeline() {
  if (!last) return;
  const { timeline, timeline_with_input: withInput } = last.pictures;
  const address = element("ticks").checked && !isMetric ? withInput : timeline;
  showPicture(element("timeline"), address, "Timeline of what holds when");
}

function tellSample() {
  const names = last.cut.map((name) => name.split("/").pop()).join(", ");
  const rows = last.sample.toLocaleString("en");
  element("sample").hidden = !names;
  element("sample").textContent = `A sample: only the first ${rows} rows of ${names} were used. --sample 0 uses all.`;
}

// The rules have been changed since the run: what is shown is of the rules before.
export function tellStale() {
  const isStale = last !== null && JSON.stringify(texts()) !== ranOn;
  element("right").classList.toggle("stale", isStale);
  if (isStale && !isRunning) say("the rules have changed since the last run");
  else if (last && !isRunning) say(summary(last));
}

// Table

function showTable() {
  const head = make("tr", {}, ...last.columns.map((name) => make("th", { scope: "col" }, name)));
  const rows = last.rows.map((row) => {
    const line = make("tr", { className: "ask", tabIndex: 0 }, ...row.cells.map((cell) => make("td", {}, cell)));
    line.setAttribute("aria-label", `${row.cells.join(", ")}: why?`);
    line.onclick = () => askWhy(row.question, row.at);
    line.onkeydown = (event) => moved(event, line);
    return line;
  });
  const more = last.intervals - last.rows.length;
  const note = more > 0 ? `… and ${more.toLocaleString("en")} more` : last.intervals ? "" : "Nothing holds at any time.";
  const table = make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows));
  element("table").replaceChildren(table, make("p", { className: "empty" }, note));
}

function moved(event, line) {
  if (event.key === "Enter" || event.key === " ") line.click();
  else if (event.key === "ArrowDown") line.nextElementSibling?.focus();
  else if (event.key === "ArrowUp") line.previousElementSibling?.focus();
  else return;
  event.preventDefault();
}

// Input that could not be used

function showInput() {
  const strange = Object.entries(last.unknown).sort((a, b) => b[1] - a[1]);
  element("tab-input").hidden = !last.malformed && !strange.length;
  const parts = [];
  if (last.malformed) {
    const shown = last.first_malformed.map((one) =>
      make("tr", {}, make("td", {}, `${one.file}:${one.line}`), make("td", {}, one.reason), make("td", {}, make("code", {}, one.text))),
    );
    const head = make("tr", {}, ...["where", "why", "row"].map((name) => make("th", { scope: "col" }, name)));
    const more = last.malformed - shown.length;
    parts.push(
      make("h2", {}, "Rows that could not be read"),
      make("table", {}, make("thead", {}, head), make("tbody", {}, ...shown)),
      make("p", { className: "note" }, more > 0 ? `… and ${more.toLocaleString("en")} more` : ""),
    );
  }
  if (strange.length) {
    const items = strange.map(([name, count]) => make("li", {}, make("code", {}, name), ` ${count.toLocaleString("en")}`));
    parts.push(make("h2", {}, "Names that no rule knows"), make("ul", {}, ...items));
  }
  element("input").replaceChildren(...parts);
}

// Graph: of the rules as they are now, as soon as somebody looks at it.

let drawn = "";
export async function showGraph() {
  const files = texts();
  const state = JSON.stringify(files);
  if (element("graph").hidden || state === drawn) return;
  try {
    const { address } = await ask("/api/graph", { files });
    drawn = state;
    element("graph").replaceChildren(frame(address, "What depends on what"));
  } catch (problem) {
    drawn = "";
    element("graph").replaceChildren(make("p", { className: "empty" }, `There is no graph yet: ${problem.message}`));
  }
}
