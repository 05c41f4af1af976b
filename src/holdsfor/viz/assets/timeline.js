"use strict";
// A timeline on a canvas: lanes, intervals, events; only what is in view is drawn, narrow intervals by how dense they lie.

const chart = JSON.parse(element("data").textContent);
const clock = new Clock(chart.clock);
const kinds = chart.kinds;
const first = starts(column(chart.counts));
const [start, end] = [times(chart.start), times(chart.end)];
const kindOf = column(chart.kind);
const startOpen = chart.startOpen && column(chart.startOpen);
const endOpen = chart.endOpen && column(chart.endOpen);
const sizes = chart.sizes && column(chart.sizes);
const events = new Events(chart);
// Intervals of a lane are in order of their starts; the furthest end so far tells where to begin looking.
const furthest = Float64Array.from(end);
for (let lane = 0; lane + 1 < first.length; lane++)
  for (let at = first[lane] + 1; at < first[lane + 1]; at++) furthest[at] = Math.max(furthest[at], furthest[at - 1]);

const [AXIS, ROW, HEADER, FADE, COLUMN] = [chart.clock.zone ? 42 : 28, 22, 24, 48, 2];
const canvas = element("canvas");
const scroll = element("scroll");
const whole = chart.high - chart.low;
const view = { low: chart.low, high: chart.high };
const chosen = { lane: -1, at: -1, event: -1 };
let rows = [];
let wanted = "";
let labelWidth = 120;

function arrange() {
  rows = [];
  let [y, group] = [0, null];
  chart.labels.forEach((label, lane) => {
    const name = chart.groups[chart.groupOf[lane]];
    if (wanted && !label.toLowerCase().includes(wanted) && !name.toLowerCase().includes(wanted)) return;
    if (chart.headers && name !== group && name) {
      rows.push({ y, height: HEADER, header: name, lane: -1, group: chart.groupOf[lane] });
      y += HEADER;
    }
    group = name;
    const height = events.hasNumbers(lane) ? 2 * ROW : ROW;
    rows.push({ y, height, lane, group: chart.groupOf[lane] });
    y += height;
  });
  element("spacer").style.height = `${Math.max(0, y + AXIS + 12 - scroll.clientHeight)}px`;
  status(`${rows.filter((row) => row.lane >= 0).length} of ${chart.labels.length} lanes`);
}

const status = (text) => (element("status").textContent = text);
// Where something goes on for ever, there is room for it to fade away.
const before = start.some((time) => time < chart.low) ? FADE : 6;
const after = end.some((time) => time > chart.high) ? FADE : 12;
const fieldLeft = () => labelWidth + before;
let scrollWidth = scroll.clientWidth;
const fieldWidth = () => Math.max(40, scrollWidth - fieldLeft() - after);
const pixel = (time) => fieldLeft() + ((time - view.low) / (view.high - view.low)) * fieldWidth();
const timeAt = (x) => view.low + ((x - fieldLeft()) / fieldWidth()) * (view.high - view.low);

// Drawing

function draw(pen, width, height) {
  const colours = theme();
  scrollWidth = width;
  pen.clearRect(0, 0, width, height);
  pen.font = "11px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace";
  const longest = chart.labels.reduce((a, b) => (a.length >= b.length ? a : b), "");
  const zone = clock.zone ? pen.measureText(clock.zone).width + 40 : 0;
  labelWidth = Math.min(Math.max(60, pen.measureText(longest).width + 30 + (events.numbers.length ? SCALE : 0), zone), 0.4 * width, 360);
  const top = scroll.scrollTop;
  const visible = rows.filter((row) => row.y + row.height > top && row.y < top + height);
  for (const row of visible) band(pen, row, row.y - top + AXIS, width, colours);
  axis(pen, width, height, colours);
  pen.save();
  pen.beginPath();
  pen.rect(labelWidth, AXIS, width - labelWidth, height - AXIS);
  pen.clip();
  for (const row of visible) if (row.lane >= 0) lane(pen, row, row.y - top + AXIS, colours);
  pen.restore();
  for (const row of visible) name(pen, row, row.y - top + AXIS, colours);
  pen.clearRect(0, 0, width, AXIS);
  axisText(pen, colours);
  canvas.dataset.drawn = String(visible.length);
}

function band(pen, row, y, width, colours) {
  if (row.lane >= 0 && row.lane === chosen.lane) pen.fillStyle = colours.hover;
  else if (row.group % 2 === 0) pen.fillStyle = colours.band;
  else return;
  pen.fillRect(0, y, width, row.height);
}

function name(pen, row, y, colours) {
  const isHeader = row.lane < 0;
  pen.fillStyle = colours.ink;
  pen.textAlign = "left";
  pen.font = isHeader ? "600 12px system-ui, sans-serif" : "11px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace";
  const text = isHeader ? row.header : chart.labels[row.lane];
  const taken = isHeader ? 14 : events.hasNumbers(row.lane) ? 24 + SCALE : 24;
  pen.fillText(fitted(pen, text, labelWidth - taken), isHeader ? 8 : chart.headers ? 18 : 10, y + row.height / 2 + 4);
  if (!isHeader) events.scale(pen, row.lane, y, row.height, labelWidth - 2, colours.faint);
}

// A text with its middle left out if there is not enough room.
function fitted(pen, text, room) {
  if (pen.measureText(text).width <= room) return text;
  const letters = Array.from(text.length > 400 ? text.slice(0, 200) + text.slice(-200) : text);
  let kept = letters.length;
  const shorter = () => letters.slice(0, Math.ceil(kept / 2)).join("") + "…" + letters.slice(letters.length - Math.floor(kept / 2)).join("");
  while (kept > 1 && pen.measureText(shorter()).width > room) kept--;
  return shorter();
}

const marks = () => clock.marks(timeAt(fieldLeft() - before / 2), timeAt(fieldLeft() + fieldWidth() + after / 2), Math.max(1, Math.min(12, Math.floor(fieldWidth() / 110))));

function axis(pen, width, height, colours) {
  pen.strokeStyle = colours.line;
  pen.lineWidth = 1;
  pen.beginPath();
  for (const mark of marks()) {
    const x = Math.round(pixel(mark.at)) + 0.5;
    pen.moveTo(x, AXIS - 5);
    pen.lineTo(x, height);
  }
  pen.stroke();
}

function axisText(pen, colours) {
  pen.fillStyle = colours.faint;
  pen.font = "11px system-ui, sans-serif";
  pen.textAlign = "center";
  for (const mark of marks()) {
    pen.fillText(mark.text, pixel(mark.at), AXIS - 10);
    if (mark.context) pen.fillText(mark.context, pixel(mark.at), AXIS - 25);
  }
  pen.textAlign = "left";
  if (clock.zone) pen.fillText(fitted(pen, clock.zone, labelWidth - 14), 8, AXIS - 10);
  pen.strokeStyle = colours.line;
  pen.strokeRect(fieldLeft() + 0.5, AXIS - 0.5, fieldWidth(), 0);
}

function lane(pen, row, top, colours) {
  const [number, y, height] = [row.lane, top + 4, ROW - 8];
  let [dense, last] = [null, -Infinity];
  const flush = () => {
    if (!dense) return;
    const alone = dense.count === 1 && dense.x > last + 2 * COLUMN;
    last = dense.x;
    pen.globalAlpha = alone ? 1 : 0.25 + 0.75 * Math.min(1, Math.max(0.25, dense.covered / COLUMN));
    pen.fillStyle = kinds[dense.kind].colour;
    pen.fillRect(dense.x, y, COLUMN, height);
    pen.globalAlpha = 1;
    dense = null;
  };
  const [from, to] = [timeAt(labelWidth), timeAt(scrollWidth)];
  for (let at = lowerBound(furthest, from, first[number], first[number + 1]); at < first[number + 1]; at++) {
    if (start[at] > to) break;
    if (!shown[kindOf[at]] || end[at] < from) continue;
    const [left, right] = [pixel(Math.max(start[at], chart.low)), pixel(Math.min(end[at], chart.high))];
    if (right - left >= COLUMN || end[at] > chart.high || start[at] < chart.low) {
      flush();
      bar(pen, at, Math.max(left, labelWidth - 4), Math.min(right, scrollWidth + 4), y, height, colours);
      continue;
    }
    const x = Math.floor(left / COLUMN) * COLUMN;
    if (!dense || dense.x !== x || dense.kind !== kindOf[at]) {
      flush();
      dense = { x, kind: kindOf[at], covered: 0, count: 0 };
    }
    dense.covered += right - left;
    dense.count += 1;
  }
  flush();
  const place = { from, to, top, height: row.height, left: labelWidth, right: scrollWidth, pixel };
  events.draw(pen, number, place, (kind) => shown[kind] && kinds[kind].colour, chosen.event, colours.focus);
}

function bar(pen, at, left, right, y, height, colours) {
  const kind = kinds[kindOf[at]];
  pen.fillStyle = kind.colour;
  pen.globalAlpha = sizes && sizes[at] > 1 ? 0.6 : 1;
  if (right > left) {
    pen.beginPath();
    const radius = Math.min(3, (right - left) / 3);
    const [head, tail] = [start[at] < chart.low ? 0 : radius, end[at] > chart.high ? 0 : radius];
    pen.roundRect(left, y, right - left, height, [head, tail, tail, head]);
    pen.fill();
  }
  pen.globalAlpha = 1;
  if (end[at] > chart.high) fade(pen, pixel(Math.max(chart.high, start[at])), FADE, y, height, kind.colour);
  if (start[at] < chart.low) fade(pen, pixel(Math.min(chart.low, end[at])), -FADE, y, height, kind.colour);
  if (chosen.at === at) {
    pen.strokeStyle = colours.focus;
    pen.lineWidth = 2;
    pen.strokeRect(left - 1, y - 1, right - left + 2, height + 2);
  }
  if (startOpen && right - left > 3) ends(pen, at, y + height / 2, kind.colour, colours);
  pen.font = "11px system-ui, sans-serif";
  pen.textAlign = "left";
  const from = Math.max(left, labelWidth);
  if (kind.value && right - from > pen.measureText(kind.value).width + 10) {
    pen.fillStyle = kind.ink;
    pen.fillText(kind.value, from + 5, y + height - 3.5);
  }
}

function fade(pen, x, length, y, height, colour) {
  const gradient = pen.createLinearGradient(x, 0, x + length, 0);
  gradient.addColorStop(0, colour);
  gradient.addColorStop(1, colour + "00");
  pen.fillStyle = gradient;
  pen.fillRect(Math.min(x, x + length), y, Math.abs(length), height);
}

// Filled where the interval has its end, hollow where it has not.
function ends(pen, at, y, colour, colours) {
  for (const [time, isOpen] of [[start[at], startOpen[at]], [end[at], endOpen[at]]]) {
    if (!Number.isFinite(time)) continue;
    pen.beginPath();
    pen.arc(pixel(time), y, 4.4, 0, 2 * Math.PI);
    pen.fillStyle = isOpen ? colours.paper : colour;
    pen.fill();
    pen.lineWidth = 1.5;
    pen.strokeStyle = isOpen ? colour : colours.paper;
    pen.stroke();
  }
}

// What is where

function rowAt(y) {
  const place = y - AXIS + scroll.scrollTop;
  return y < AXIS ? undefined : rows.find((row) => place >= row.y && place < row.y + row.height);
}

function intervalAt(lane, x) {
  const [from, to] = [timeAt(x - 3), timeAt(x + 3)];
  let [best, distance] = [-1, Infinity];
  for (let at = lowerBound(furthest, from, first[lane], first[lane + 1]); at < first[lane + 1] && start[at] <= to; at++) {
    if (end[at] < from || !shown[kindOf[at]]) continue;
    const off = Math.max(start[at] - timeAt(x), timeAt(x) - end[at], 0);
    if (off < distance) [best, distance] = [at, off];
  }
  return best;
}

function intervalText(lane, at) {
  const kind = kinds[kindOf[at]];
  const opening = (startOpen ? startOpen[at] : start[at] === -Infinity) ? "(" : "[";
  const closing = (endOpen ? endOpen[at] : true) ? ")" : "]";
  const during = `${opening}${clock.text(start[at])}, ${clock.text(end[at])}${closing}`;
  const many = sizes && sizes[at] > 1 ? `\n${sizes[at]} intervals that lie close together` : "";
  return `${chart.labels[lane]}${kind.value ? " = " + kind.value : ""}\n${during}${many}`;
}

const eventsText = (lane, x) => events.near(lane, timeAt(x - 3), timeAt(x + 3), clock);

function point(event) {
  const row = rowAt(event.offsetY);
  if (!row || row.lane < 0) return hover("");
  if (event.offsetX < labelWidth) return hover(chart.labels[row.lane], event.clientX, event.clientY);
  const at = intervalAt(row.lane, event.offsetX);
  hover(at >= 0 ? intervalText(row.lane, at) : eventsText(row.lane, event.offsetX), event.clientX, event.clientY);
}

// Moving about

function show(low, high) {
  const least = chart.clock.scale === null ? whole * 1e-9 : Math.min(2, whole);
  const length = Math.min(Math.max(high - low, least), 1.2 * whole);
  const middle = Math.min(Math.max((low + high) / 2, chart.low), chart.high);
  [view.low, view.high] = [middle - length / 2, middle + length / 2];
  paint();
}

function zoom(factor, x = fieldLeft() + fieldWidth() / 2) {
  const [time, length] = [timeAt(x), (view.high - view.low) / factor];
  const share = (time - view.low) / (view.high - view.low);
  show(time - share * length, time + (1 - share) * length);
}

const move = (pixels) => {
  const by = (pixels / fieldWidth()) * (view.high - view.low);
  show(view.low - by, view.high - by);
};

function choose(row) {
  if (!row) return;
  Object.assign(chosen, { lane: row.lane, at: -1, event: -1 });
  if (row.y < scroll.scrollTop) scroll.scrollTop = row.y;
  const below = row.y + row.height - scroll.clientHeight + AXIS;
  if (below > scroll.scrollTop) scroll.scrollTop = below;
  const count = first[row.lane + 1] - first[row.lane];
  status(`${chart.labels[row.lane]}: ${count} intervals, ${events.count(row.lane)} events`);
  paint();
}

function step(by) {
  const lanes = rows.filter((row) => row.lane >= 0);
  const place = lanes.findIndex((row) => row.lane === chosen.lane);
  choose(lanes[place < 0 ? 0 : Math.min(Math.max(place + by, 0), lanes.length - 1)]);
}

function along(by) {
  if (chosen.lane < 0) step(0);
  const [low, high] = [first[chosen.lane], first[chosen.lane + 1] - 1];
  if (!(high >= low)) return alongEvents(by);
  chosen.at = chosen.at < 0 ? (by > 0 ? low : high) : Math.min(Math.max(chosen.at + by, low), high);
  const [a, b] = [Math.max(start[chosen.at], chart.low), Math.min(end[chosen.at], chart.high)];
  if (a < view.low || b > view.high) show((a + b) / 2 - (view.high - view.low) / 2, (a + b) / 2 + (view.high - view.low) / 2);
  status(intervalText(chosen.lane, chosen.at).replace("\n", " "));
  paint();
}

function alongEvents(by) {
  const [low, high] = [events.first[chosen.lane], events.first[chosen.lane + 1] - 1];
  if (!(high >= low)) return;
  chosen.event = chosen.event < 0 ? (by > 0 ? low : high) : Math.min(Math.max(chosen.event + by, low), high);
  const [at, half] = [events.time[chosen.event], (view.high - view.low) / 2];
  if (at < view.low || at > view.high) show(at - half, at + half);
  status(`${events.said(chosen.lane, chosen.event)} ${clock.text(at)}`);
  paint();
}

// A page around this one may want to know what somebody has chosen: an interval with a time at which it holds, or an event.
function tell() {
  if (parent === window || clock.scale === null) return;
  if (chosen.event >= 0 && events.text?.[chosen.event]) {
    const at = clock.fraction(clock.origin + BigInt(events.time[chosen.event]));
    parent.postMessage({ kind: "holdsfor-interval", question: events.said(chosen.lane, chosen.event), at }, "*");
  }
  if (chosen.at < 0) return;
  const label = chart.labels[chosen.lane];
  const { value } = kinds[kindOf[chosen.at]];
  const question = value && !label.endsWith(`=${value}`) ? `${label}=${value}` : label;
  parent.postMessage({ kind: "holdsfor-interval", question, at: timeInside(chosen.at) }, "*");
}

function timeInside(at) {
  const [from, to] = [start[at], end[at]];
  const whole = (ticks) => clock.fraction(clock.origin + BigInt(Math.floor(ticks)));
  if (from === -Infinity) return whole(to === Infinity ? chart.low : to - 1);
  if (!startOpen || !startOpen[at]) return whole(from);
  return to === Infinity ? whole(from + 1) : `${2n * clock.origin + BigInt(from + to)}/${2 * clock.scale}`;
}

function pick(event) {
  const row = rowAt(event.offsetY);
  const at = row && row.lane >= 0 && event.offsetX >= labelWidth ? intervalAt(row.lane, event.offsetX) : -1;
  const inField = row && row.lane >= 0 && event.offsetX >= labelWidth;
  const mark = at < 0 && inField ? events.nearest(row.lane, timeAt(event.offsetX), timeAt(4) - timeAt(0)) : -1;
  if (at < 0 && mark < 0) return;
  Object.assign(chosen, { lane: row.lane, at, event: mark });
  status((at < 0 ? eventsText(row.lane, event.offsetX) : intervalText(row.lane, at)).replaceAll("\n", " "));
  paint();
  tell();
}

function focusOn() {
  if (chosen.event >= 0) tell();
  if (chosen.at < 0) return;
  tell();
  const [a, b] = [Math.max(start[chosen.at], chart.low), Math.min(end[chosen.at], chart.high)];
  const room = (b - a || whole / 100) * 0.5;
  show(a - room, b + room);
}

const KEYS = {
  ArrowLeft: () => move(fieldWidth() / 8), ArrowRight: () => move(-fieldWidth() / 8),
  ArrowUp: () => step(-1), ArrowDown: () => step(1), n: () => along(1), p: () => along(-1), Enter: focusOn,
  "+": () => zoom(1.5), "=": () => zoom(1.5), "-": () => zoom(1 / 1.5), 0: () => show(chart.low, chart.high),
  Home: () => show(chart.low, chart.high), PageDown: () => (scroll.scrollTop += scroll.clientHeight * 0.8),
  PageUp: () => (scroll.scrollTop -= scroll.clientHeight * 0.8),
};

canvas.addEventListener("keydown", (event) => {
  const action = !event.ctrlKey && !event.metaKey && !event.altKey && KEYS[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});
canvas.addEventListener("wheel", (event) => {
  const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
  if (event.ctrlKey || event.metaKey) zoom(Math.exp(-event.deltaY / 300), event.offsetX);
  else if (Math.abs(sideways) > Math.abs(event.deltaY) || event.shiftKey) move(-sideways);
  else return;
  event.preventDefault();
}, { passive: false });
gestures(canvas, { move, zoom, point, leave: () => hover("") });
// A click is not the end of a drag.
let pressed = null;
canvas.addEventListener("pointerdown", (event) => (pressed = event));
canvas.addEventListener("click", (event) => {
  if (pressed && Math.hypot(event.clientX - pressed.clientX, event.clientY - pressed.clientY) < 5) pick(event);
});
element("search").addEventListener("input", (event) => {
  wanted = event.target.value.trim().toLowerCase();
  arrange();
  scroll.scrollTop = 0;
  paint();
});
for (const [id, action] of [["in", () => zoom(1.5)], ["out", () => zoom(1 / 1.5)], ["all", KEYS.Home]])
  element(id).addEventListener("click", action);

let paint = () => {};
const shown = legend(element("legend"), kinds.map((kind) => ({ ...kind, name: kind.value ? `${kind.name} = ${kind.value}` : kind.name })), () => paint());
arrange();
paint = painter(canvas, scroll, draw);
scroll.addEventListener("scroll", () => paint());
addEventListener("resize", arrange);
