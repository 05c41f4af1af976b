// A stream that runs elsewhere. The server sends how things are, whenever that has changed; the page keeps nothing else.
import { cell, element, make } from "/static/talk.js";

const [ROW, LABELS, AXIS, MOST_LANES] = [17, 0.34, 22, 20];
let view = null;

export function follow(address) {
  const source = new EventSource(address);
  meters({ stream: "connecting" });
  source.onmessage = (event) => {
    view = JSON.parse(event.data);
    show();
  };
  source.onerror = () => meters({ stream: "connection lost, trying again" });
  new ResizeObserver(draw).observe(element("live"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
}

const shown = (count) => Number(count).toLocaleString("en");

function show() {
  const { totals, report, rates } = view;
  const recent = rates.slice(-10);
  const sum = (name) => recent.reduce((total, one) => total + one[name], 0);
  const speed = sum("milliseconds") ? (1000 * sum("events")) / sum("milliseconds") : null;
  boxes.get("throughput")?.parentElement.toggleAttribute("hidden", rates.length > 0);
  meters({
    stream: totals.batches ? "running" : "waiting for the first batch",
    "query time": view.now ?? "–",
    "open now": shown(view.open_count),
    changes: shown(totals.changes),
    batches: shown(totals.batches),
    ...(rates.length
      ? {
          "events a second": speed === null ? "–" : shown(Math.round(speed)),
          events: shown(totals.events),
          late: `${shown(totals.late)}${totals.events ? ` (${((100 * totals.late) / totals.events).toFixed(1)} %)` : ""}`,
          malformed: shown(totals.malformed),
          "last batch": `${shown(report.milliseconds ?? 0)} ms`,
        }
      : { throughput: "see --reports" }),
  });
  element("live-problem").hidden = !view.problem;
  element("live-problem").textContent = view.problem;
  element("open").replaceChildren(...view.open.map((one) => line([one.what, one.start ?? "-inf"])));
  const more = view.open_count - view.open.length;
  element("open-more").textContent = more > 0 ? `… and ${shown(more)} that have been open for longer` : "";
  element("feed").replaceChildren(...view.feed.map(change));
  draw();
}

const line = (texts) => make("tr", {}, ...texts.map((text) => cell(String(text))));

function change(one) {
  const made = line([one.at ?? "", one.op, one.what, one.start ?? "-inf", one.end ?? "still"]);
  made.cells[1].className = `op-${one.op}`;
  if (one.causes) made.cells[2].append(make("span", { className: "cause", title: one.causes }, one.causes));
  return made;
}

const boxes = new Map();
function meters(values) {
  for (const [name, value] of Object.entries(values)) {
    if (!boxes.has(name)) {
      const detail = make("dd");
      boxes.set(name, detail);
      element("meters").append(make("div", {}, make("dt", {}, name), detail));
    }
    boxes.get(name).textContent = String(value);
  }
}

// What holds over time: a lane for each situation, those that changed last at the top.
function draw() {
  const canvas = element("lanes");
  const width = canvas.parentElement.clientWidth;
  if (!view || !width) return;
  const lanes = new Map();
  for (const bar of view.bars.toReversed()) {
    if (!lanes.has(bar.what) && lanes.size >= MOST_LANES) continue;
    lanes.set(bar.what, [...(lanes.get(bar.what) ?? []), bar]);
  }
  const names = [...lanes.keys()].sort();
  const height = AXIS + ROW * Math.max(1, names.length) + 4;
  const pen = sized(canvas, width, height);
  const colours = theme(canvas);
  const [low, high] = reach([...lanes.values()].flat());
  const left = Math.round(Math.min(260, LABELS * width));
  const x = (time) => left + ((Math.min(Math.max(time, low), high) - low) / (high - low)) * (width - left - 14);
  pen.font = "12px ui-monospace, monospace";
  names.forEach((name, at) => {
    const y = AXIS + at * ROW;
    pen.fillStyle = colours[at % 2 ? "paper" : "field"];
    pen.fillRect(0, y, width, ROW);
    pen.fillStyle = colours.ink;
    pen.fillText(fitted(pen, name, left - 16), 8, y + 12.5);
    for (const bar of lanes.get(name)) {
      const [from, to] = [x(bar.first ?? low), x(bar.last ?? high)];
      pen.fillStyle = colours[bar.end === null ? "good" : "main"];
      pen.globalAlpha = bar.end === null ? 1 : 0.65;
      pen.fillRect(from, y + 3, Math.max(2, to - from), ROW - 6);
      pen.globalAlpha = 1;
    }
  });
  pen.fillStyle = colours.faint;
  pen.fillText(timeText(low), left, 14);
  pen.textAlign = "right";
  pen.fillText(view.now ?? "", width - 14, 14);
  const open = view.bars.filter((bar) => bar.end === null).length;
  canvas.setAttribute("aria-label", `${names.length} situations over time, ${open} of them open; the tables below say the same`);
  canvas.dataset.lanes = String(names.length);
}

// Dates are seconds since 1970.
const timeText = (time) => (view.has_dates ? `${new Date(time * 1000).toISOString().slice(0, 19)}Z` : String(Math.round(time)));

// Colours as a canvas wants them: those of the page depend on whether it is dark, and only an element knows that.
function theme(canvas) {
  const found = {};
  for (const name of ["paper", "field", "ink", "faint", "good", "main"]) {
    canvas.style.color = `var(--${name})`;
    found[name] = getComputedStyle(canvas).color;
  }
  return found;
}

function sized(canvas, width, height) {
  const ratio = devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.height = `${height}px`;
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  return pen;
}

// What began long before all others may stick out on the left.
function reach(bars) {
  const starts = bars.map((bar) => bar.first).filter((time) => time !== null).sort((a, b) => a - b);
  const ends = bars.map((bar) => bar.last).filter((time) => time !== null);
  const high = Math.max(view.clock ?? -Infinity, ...ends, ...starts);
  if (!Number.isFinite(high)) return [0, 1];
  const low = starts.length ? starts[Math.floor(starts.length / 20)] : high - 1;
  return low < high ? [low, high] : [high - 1, high];
}

function fitted(pen, text, room) {
  if (pen.measureText(text).width <= room) return text;
  let kept = text.length;
  const shorter = () => `${text.slice(0, Math.ceil(kept / 2))}…${text.slice(text.length - Math.floor(kept / 2))}`;
  while (kept > 2 && pen.measureText(shorter()).width > room) kept -= 1;
  return shorter();
}
