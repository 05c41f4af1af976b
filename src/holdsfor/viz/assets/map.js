"use strict";
// A map on a canvas: areas, tracks, and the segments of tracks on which something held; all of time, or one moment of it.

const scene = JSON.parse(element("data").textContent);
const clock = new Clock(scene.clock);
const first = starts(column(scene.counts));
const [placeX, placeY, time] = [column(scene.x), column(scene.y), times(scene.time)];
const [kindOf, entityOf] = [column(scene.kind), column(scene.entity)];
const [start, end] = [times(scene.start), times(scene.end)];
const areas = scene.areas.map((area) => ({ ...area, rings: area.rings.map((ring) => ({ x: column(ring.x), y: column(ring.y) })) }));

const canvas = element("canvas");
const field = element("field");
const slider = element("slider");
// The sizes of the field are kept: to ask for them takes longer than to draw a line.
const view = { x: 0, y: 0, scale: 1, width: 1, height: 1 };
// Thick lines take long to draw and hide each other where there are very many; thin ones do not.
const CROWDED = 15000;
let [segments, isCrowded] = [0, false];
let moment = null;
let playing = 0;

// Places are shares of the longer side of the scene, around its middle.
const toX = (x) => (x - view.x) * view.scale + view.width / 2;
const toY = (y) => (y - view.y) * view.scale + view.height / 2;
const fromX = (x) => (x - view.width / 2) / view.scale + view.x;
const fromY = (y) => (y - view.height / 2) / view.scale + view.y;

function fit() {
  view.x = view.y = 0;
  view.scale = Math.min(field.clientWidth / scene.width, field.clientHeight / scene.height);
  paint();
}

// Where a thing was, between two points of its track; nothing outside of it.
function placeAt(entity, at) {
  const [low, high] = [first[entity], first[entity + 1]];
  if (high <= low || at < time[low] || at > time[high - 1]) return null;
  const right = lowerBound(time, at, low, high);
  const left = time[right] === at ? right : right - 1;
  const share = time[right] > time[left] ? (at - time[left]) / (time[right] - time[left]) : 0;
  return [placeX[left] + share * (placeX[right] - placeX[left]), placeY[left] + share * (placeY[right] - placeY[left])];
}

// The places of a situation: where it begins, the points of the track in between, where it ends.
function segment(number) {
  const entity = entityOf[number];
  const [low, high] = [first[entity], first[entity + 1]];
  const [from, to] = [Math.max(start[number], time[low]), Math.min(end[number], time[high - 1])];
  const points = [placeAt(entity, from)];
  for (let at = lowerBound(time, from, low, high); at < high && time[at] < to; at++) points.push([placeX[at], placeY[at]]);
  points.push(placeAt(entity, to));
  return points.filter((point) => point);
}

const segments = Array.from(kindOf, (_, number) => segment(number));
const ofKind = scene.kinds.map(() => []);
kindOf.forEach((kind, number) => ofKind[kind].push(number));
const holds = (number) => moment === null || (start[number] <= moment && moment < end[number]);

// Drawing

function draw(pen, width, height) {
  const colours = theme();
  Object.assign(view, { width, height });
  // In a frame that is not shown yet, everything has been fitted into nothing.
  if (!view.scale) view.scale = Math.min(width / scene.width, height / scene.height);
  if (!view.scale) return;
  pen.fillStyle = colours[scene.ground];
  pen.fillRect(0, 0, width, height);
  pen.lineJoin = pen.lineCap = "round";
  for (const area of areas) if (areasShown[area.kind]) drawArea(pen, area);
  graticule(pen, width, height, colours);
  tracks(pen, width, height, colours);
  segments = 0;
  for (const strong of moment === null ? [true] : [false, true])
    scene.kinds.forEach((kind, number) => shown[number] && drawKind(pen, number, kind.colour, strong));
  if (segments > CROWDED !== isCrowded) {
    isCrowded = !isCrowded;
    paint();
  }
  if (moment !== null) positions(pen, colours);
  ruler(pen, width, height, colours);
  canvas.dataset.drawn = String(segments.length);
}

function drawArea(pen, area) {
  pen.beginPath();
  for (const { x, y } of area.rings) {
    for (let at = 0; at < x.length; at++) at ? pen.lineTo(toX(x[at]), toY(y[at])) : pen.moveTo(toX(x[at]), toY(y[at]));
    pen.closePath();
  }
  const { colour, dark } = scene.areaKinds[area.kind];
  pen.fillStyle = matchMedia("(prefers-color-scheme: dark)").matches ? dark : colour;
  pen.fill("evenodd");
}

function tracks(pen, width, height, colours) {
  pen.strokeStyle = colours.track;
  // Many tracks must not hide what happens on them.
  [pen.globalAlpha, pen.lineWidth] = first.length > 60 ? [0.4, 0.6] : [0.75, 0.9];
  pen.beginPath();
  for (let entity = 0; entity + 1 < first.length; entity++) {
    let [lastX, lastY] = [NaN, NaN];
    for (let at = first[entity]; at < first[entity + 1]; at++) {
      const [x, y] = [toX(placeX[at]), toY(placeY[at])];
      if (Math.abs(x - lastX) < 0.5 && Math.abs(y - lastY) < 0.5) continue;
      const outside = Math.max(x, lastX) < 0 || Math.min(x, lastX) > width || Math.max(y, lastY) < 0 || Math.min(y, lastY) > height;
      if (at === first[entity] || outside) pen.moveTo(x, y);
      else pen.lineTo(x, y);
      [lastX, lastY] = [x, y];
    }
  }
  pen.stroke();
  pen.globalAlpha = 1;
}

// The segments of a kind; those too short to be seen as dots, one to a pixel.
function drawKind(pen, kind, colour, strong) {
  const dots = new Set();
  let lines = 0;
  pen.globalAlpha = strong ? 1 : 0.15;
  pen.strokeStyle = pen.fillStyle = colour;
  pen.lineWidth = isCrowded ? 1 : 3.4;
  [pen.lineJoin, pen.lineCap] = isCrowded ? ["bevel", "butt"] : ["round", "round"];
  pen.beginPath();
  for (const number of ofKind[kind]) {
    const points = segments[number];
    if (!points.length || holds(number) !== strong) continue;
    const [x0, y0] = [toX(points[0][0]), toY(points[0][1])];
    let [lastX, lastY, reach] = [x0, y0, 0];
    for (const [x, y] of points) reach = Math.max(reach, Math.abs(toX(x) - x0) + Math.abs(toY(y) - y0));
    if (reach < 7) {
      if (x0 > -5 && x0 < view.width + 5 && y0 > -5 && y0 < view.height + 5) dots.add(Math.round(x0) * 65536 + Math.round(y0));
      continue;
    }
    if (x0 < -reach || x0 > view.width + reach || y0 < -reach || y0 > view.height + reach) continue;
    pen.moveTo(x0, y0);
    for (const [px, py] of points) {
      const [x, y] = [toX(px), toY(py)];
      if (Math.abs(x - lastX) + Math.abs(y - lastY) < 1) continue;
      pen.lineTo(x, y);
      segments++;
      [lastX, lastY] = [x, y];
    }
    // Long paths take more than their share of time.
    if (++lines % 50) continue;
    pen.stroke();
    pen.beginPath();
  }
  pen.stroke();
  pen.beginPath();
  for (const spot of dots) {
    const [x, y] = [Math.floor(spot / 65536), spot & 65535];
    pen.moveTo(x, y);
    pen.arc(x, y, isCrowded ? 2 : 4, 0, 2 * Math.PI);
  }
  pen.fill();
  pen.globalAlpha = 1;
}

// Where everything is at the moment, in the colour of what holds of it.
function positions(pen, colours) {
  const held = new Map();
  kindOf.forEach((kind, number) => shown[kind] && holds(number) && held.set(entityOf[number], scene.kinds[kind].colour));
  for (let entity = 0; entity + 1 < first.length; entity++) {
    const place = placeAt(entity, moment);
    if (!place) continue;
    pen.beginPath();
    pen.arc(toX(place[0]), toY(place[1]), held.has(entity) ? 5 : 3, 0, 2 * Math.PI);
    pen.fillStyle = held.get(entity) || colours.faint;
    pen.fill();
    pen.strokeStyle = colours.paper;
    pen.lineWidth = 1;
    pen.stroke();
  }
}

// Degrees

const degreesAcross = (x) => (((x * scene.span + scene.middle[0]) / scene.radian) * 180) / Math.PI;
const acrossDegrees = (degrees) => (((degrees * Math.PI) / 180) * scene.radian - scene.middle[0]) / scene.span;
function downDegrees(degrees) {
  const radians = (degrees * Math.PI) / 180;
  return ((scene.mercator ? -Math.asinh(Math.tan(radians)) : -radians) - scene.middle[1]) / scene.span;
}

const degreeText = (value, positive, negative) => `${Number(Math.abs(value).toFixed(6))}°${value >= 0 ? positive : negative}`;

function graticule(pen, width, height, colours) {
  const [west, east] = [degreesAcross(fromX(0)), degreesAcross(fromX(width))];
  const step = Math.min(niceStep((east - west) / 6), 30);
  pen.strokeStyle = colours.line;
  pen.lineWidth = 1;
  pen.fillStyle = colours.faint;
  pen.font = "11px system-ui, sans-serif";
  pen.textAlign = "left";
  pen.beginPath();
  for (let k = Math.ceil(west / step); k * step <= east; k++) {
    const x = Math.round(toX(acrossDegrees(k * step))) + 0.5;
    pen.moveTo(x, 0);
    pen.lineTo(x, height);
    pen.fillText(degreeText((((k * step + 180) % 360) + 360) % 360 - 180, "E", "W"), x + 3, 13);
  }
  for (let k = Math.ceil(-84 / step); k * step <= 84; k++) {
    const y = Math.round(toY(downDegrees(k * step))) + 0.5;
    if (y < 0 || y > height) continue;
    pen.moveTo(0, y);
    pen.lineTo(width, y);
    pen.fillText(degreeText(k * step, "N", "S"), 4, y - 4);
  }
  pen.stroke();
}

function ruler(pen, width, height, colours) {
  const pixels = (scene.kilometre / scene.span) * view.scale;
  const kilometres = niceStep(60 / pixels);
  const [x, y] = [width - kilometres * pixels - 14, height - 12];
  pen.strokeStyle = pen.fillStyle = colours.ink;
  pen.lineWidth = 1.4;
  pen.beginPath();
  pen.moveTo(x, y - 4);
  pen.lineTo(x, y);
  pen.lineTo(width - 14, y);
  pen.lineTo(width - 14, y - 4);
  pen.stroke();
  pen.textAlign = "center";
  pen.fillText(kilometres >= 1 ? `${kilometres} km` : `${Math.round(kilometres * 1000)} m`, (x + width - 14) / 2, y - 8);
}

// What is where

function nearest(x, y) {
  let best = { distance: 8, text: "" };
  const measure = (px, py, text, number) => {
    const [dx, dy] = [toX(px) - x, toY(py) - y];
    if (Math.abs(dx) < best.distance && Math.abs(dy) < best.distance && Math.hypot(dx, dy) < best.distance)
      best = { distance: Math.hypot(dx, dy), text: text(number) };
  };
  segments.forEach((points, number) => {
    if (!shown[kindOf[number]] || (moment !== null && !holds(number))) return;
    for (let at = 0; at < points.length; at++) {
      const [a, b] = [points[at], points[Math.min(at + 1, points.length - 1)]];
      if (Math.min(toX(a[0]), toX(b[0])) > x + 8 || Math.max(toX(a[0]), toX(b[0])) < x - 8) continue;
      const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
      const along = dx * dx + dy * dy ? ((fromX(x) - a[0]) * dx + (fromY(y) - a[1]) * dy) / (dx * dx + dy * dy) : 0;
      const share = Math.min(1, Math.max(0, along));
      measure(a[0] + share * dx, a[1] + share * dy, situationText, number);
    }
  });
  if (best.text) return best.text;
  for (let entity = 0; entity + 1 < first.length; entity++) {
    const text = (at) => `${scene.names[entity]}\n${clock.text(time[at])}`;
    for (let at = first[entity]; at < first[entity + 1]; at++) measure(placeX[at], placeY[at], text, at);
  }
  return best.text || areaText(x, y);
}

const situationText = (number) =>
  `${scene.kinds[kindOf[number]].name}: ${scene.names[entityOf[number]]}\n${clock.text(start[number])} – ${clock.text(end[number])}`;

function areaText(px, py) {
  const [x, y] = [fromX(px), fromY(py)];
  const inside = areas.filter((area) => {
    let odd = false;
    for (const ring of area.rings)
      for (let i = 0, j = ring.x.length - 1; i < ring.x.length; j = i++)
        if (ring.y[i] > y !== ring.y[j] > y && x < ((ring.x[j] - ring.x[i]) * (y - ring.y[i])) / (ring.y[j] - ring.y[i]) + ring.x[i]) odd = !odd;
    return odd && areasShown[area.kind];
  });
  return inside.map((area) => area.name).filter(Boolean).join("\n");
}

const point = (event) => hover(nearest(event.offsetX, event.offsetY), event.clientX, event.clientY);

// Moving about in space and time

function zoom(factor, x = view.width / 2, y = view.height / 2) {
  const [fixedX, fixedY] = [fromX(x), fromY(y)];
  const least = Math.min(field.clientWidth / scene.width, field.clientHeight / scene.height) / 4;
  view.scale = Math.min(Math.max(view.scale * factor, least), least * 40000);
  view.x += fixedX - fromX(x);
  view.y += fixedY - fromY(y);
  paint();
}

function move(dx, dy) {
  view.x = Math.min(Math.max(view.x - dx / view.scale, -1), 1);
  view.y = Math.min(Math.max(view.y - dy / view.scale, -1), 1);
  paint();
}

function setMoment(at) {
  moment = at;
  if (at !== null) slider.value = String(((at - scene.low) / (scene.high - scene.low || 1)) * slider.max);
  const count = kindOf.reduce((sum, kind, number) => sum + (shown[kind] && holds(number) ? 1 : 0), 0);
  element("moment").textContent = at === null ? "all of time" : clock.text(Math.round(at));
  element("status").textContent = at === null ? `${count} situations` : `${count} situations hold`;
  paint();
}

const stepTime = (by) =>
  setMoment(Math.min(Math.max((moment === null ? scene.low : moment) + (by * (scene.high - scene.low)) / 500, scene.low), scene.high));

function play() {
  clearInterval(playing);
  playing = playing ? 0 : setInterval(() => (moment !== null && moment >= scene.high ? play() : stepTime(1)), 60);
  element("play").textContent = playing ? "pause" : "play";
}

function stop() {
  if (playing) play();
  setMoment(null);
}

const KEYS = {
  ArrowLeft: () => move(60, 0), ArrowRight: () => move(-60, 0), ArrowUp: () => move(0, 60), ArrowDown: () => move(0, -60),
  "+": () => zoom(1.4), "=": () => zoom(1.4), "-": () => zoom(1 / 1.4), 0: () => fit(), Home: () => fit(),
  ",": () => stepTime(-1), ".": () => stepTime(1), " ": play, Escape: stop,
};

canvas.addEventListener("keydown", (event) => {
  const action = !event.ctrlKey && !event.metaKey && !event.altKey && KEYS[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});
canvas.addEventListener("wheel", (event) => {
  event.preventDefault();
  zoom(Math.exp(-event.deltaY / 400), event.offsetX, event.offsetY);
}, { passive: false });
gestures(canvas, { move, zoom, point, leave: () => hover("") });
slider.addEventListener("input", () => setMoment(scene.low + (slider.value / slider.max) * (scene.high - scene.low)));
for (const [id, action] of [["in", () => zoom(1.4)], ["out", () => zoom(1 / 1.4)], ["all", () => fit()], ["play", play], ["always", stop]])
  element(id).addEventListener("click", action);

let paint = () => {};
const shown = legend(element("legend"), scene.kinds.map((kind) => ({ ...kind, name: `${kind.name} (${kind.count})` })), () => setMoment(moment));
const areasShown = legend(element("legend"), scene.areaKinds, () => paint());
paint = painter(canvas, field, draw);
fit();
setMoment(null);
