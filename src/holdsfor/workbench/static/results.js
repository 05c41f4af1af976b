// Runs, and what they found: a timeline, a table, a map and a graph. Pictures are pages of their own, in frames that can
// run their own scripts and touch nothing else.
import { ask, element, make, say } from "/static/talk.js";
import { showProblems } from "/static/problems.js";
import { texts } from "/static/rules.js";
import { Table } from "/static/tables.js";
import { askWhy, forgetAnswer, offer } from "/static/why.js";

let isRunning = false;
let last = null;
let ranOn = "";
let isMetric = false;
let found = null;
let given = null;

export const runNumber = () => last?.run ?? null;

export function setUpResults(desk) {
  isMetric = desk.is_metric;
  for (const one of document.querySelectorAll(".of-windows")) one.hidden = isMetric;
  element("with-input").hidden = isMetric;
  for (const id of ["window", "step"]) element(id).value = desk.options[id] ?? "";
  element("run").onclick = run;
  element("ticks").onchange = showPictures;
  found = new Table(element("table"), { table: "found", what: "intervals", none: "Nothing holds at any time.", choose: askWhy });
  const none = "No row of the input has a name that the rules read.";
  given = new Table(element("given"), { table: "given", what: isMetric ? "facts" : "events", none, choose: askWhy });
  // The timeline tells which interval was chosen in it.
  addEventListener("message", (event) => {
    const frame = element("timeline").querySelector("iframe");
    const chosen = event.data;
    if (!frame || event.source !== frame.contentWindow || chosen?.kind !== "holdsfor-interval") return;
    askWhy(String(chosen.question), String(chosen.at));
  });
}

export const options = () => (isMetric ? {} : { window: element("window").value, step: element("step").value });

export async function run() {
  if (isRunning) return;
  isRunning = true;
  element("run").disabled = true;
  say("running …");
  const files = texts();
  try {
    last = await ask("/api/run", { files, ...options() });
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
  offer(last.questions);
  element("at").size = last.has_dates ? 25 : 9;
  showTimeline();
  showTables();
  showProblems(last);
  element("tab-map").hidden = last.pictures.map === null;
  showMap();
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

// Rows are asked for when somebody looks.
function showTables() {
  if (!last) return;
  if (!element("table").hidden) found.show(last.run);
  if (!element("input").hidden) given.show(last.run);
}

export function showPictures() {
  showTables();
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

// Graph: of the rules as they are now, as soon as somebody looks at it.

let drawn = "";
export async function showGraph() {
  const files = texts();
  const inputs = element("ticks").checked;
  const state = JSON.stringify([files, inputs]);
  if (element("graph").hidden || state === drawn) return;
  try {
    const { address } = await ask("/api/graph", { files, inputs });
    drawn = state;
    element("graph").replaceChildren(frame(address, "What depends on what"));
  } catch (problem) {
    drawn = "";
    element("graph").replaceChildren(make("p", { className: "empty" }, `There is no graph yet: ${problem.message}`));
  }
}
