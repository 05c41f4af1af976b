"use strict";
// What timelines and maps share: columns, times as text, marks on an axis, legends, hover texts.

const COLUMN_TYPES = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f32: Float32Array, f64: Float64Array };

function column(packed) {
  const text = atob(packed.data);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return new COLUMN_TYPES[packed.type](bytes.buffer);
}

// Times are whole numbers with an offset, where 0 and the last number are infinite, or floating-point numbers.
function times(packed) {
  const raw = column(packed);
  if (packed.type === "f64") return raw;
  const last = 2 ** (8 * raw.BYTES_PER_ELEMENT) - 1;
  return Float64Array.from(raw, (v) => (v === 0 ? -Infinity : v === last ? Infinity : v + packed.offset));
}

function starts(counts) {
  const found = new Uint32Array(counts.length + 1);
  for (let at = 0; at < counts.length; at++) found[at + 1] = found[at] + counts[at];
  return found;
}

// The first place from `low` on, before `high`, at which a sorted column is at least `value`.
function lowerBound(sorted, value, low, high) {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Times

const PER_SECOND = { s: 1, ms: 1e3, us: 1e6, ns: 1e9 };
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800, 1209600];
const FURTHEST = 8.64e12;

function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  for (const factor of [1, 2, 5, 10]) if (factor * power >= least * (1 - 1e-9)) return factor * power;
  return 20 * power;
}

class Clock {
  constructor({ origin, scale, unit }) {
    this.origin = BigInt(origin);
    this.near = Number(this.origin);
    this.scale = scale;
    this.unit = unit;
  }

  text(at) {
    if (!Number.isFinite(at)) return at > 0 ? "∞" : "−∞";
    if (this.unit) {
      const seconds = (this.near + at) / (this.scale || 1) / PER_SECOND[this.unit];
      if (Math.abs(seconds) < FURTHEST) return this.date(seconds);
    }
    if (this.scale === null) return String(Number((this.near + at).toPrecision(12)));
    if (!Number.isInteger(at)) return String(Number(((this.near + at) / this.scale).toPrecision(12)));
    return this.fraction(this.origin + BigInt(at));
  }

  fraction(ticks) {
    let [a, b] = [ticks < 0n ? -ticks : ticks, BigInt(this.scale)];
    while (b) [a, b] = [b, a % b];
    const [top, bottom] = [ticks / a, BigInt(this.scale) / a];
    if (bottom === 1n || a === 0n) return String(top);
    let rest = bottom;
    for (const prime of [2n, 5n]) while (rest % prime === 0n) rest /= prime;
    return rest === 1n ? String(Number(ticks) / this.scale) : `${top}/${bottom}`;
  }

  date(seconds) {
    const whole = Math.floor(seconds);
    const rest = Math.round((seconds - whole) * 1e6) / 1e6;
    const text = new Date(whole * 1000).toISOString().replace("T", " ").slice(0, -5);
    return rest ? text + String(rest).slice(1) : text;
  }

  marks(low, high, most) {
    if (this.unit) {
      const tick = PER_SECOND[this.unit] * (this.scale || 1);
      const [first, last] = [(this.near + low) / tick, (this.near + high) / tick];
      if (Math.max(Math.abs(first), Math.abs(last)) < FURTHEST)
        return dateMarks(first, last, most).map((m) => ({ ...m, at: m.at * tick - this.near }));
    }
    const scale = this.scale || 1;
    let step = niceStep((high - low) / scale / most);
    if (this.scale === 1) step = Math.max(1, Math.round(step));
    const digits = step < 1 ? Math.ceil(-Math.log10(step) - 1e-9) : 0;
    const found = [];
    if (this.scale === 1) {
      const size = BigInt(step);
      const behind = Number(((this.origin % size) + size) % size);
      for (let k = Math.ceil((low + behind) / step); k * step - behind <= high; k++) {
        const at = k * step - behind;
        found.push({ at, text: String(this.origin + BigInt(at)) });
      }
      return found;
    }
    for (let k = Math.ceil((this.near + low) / scale / step); k * step * scale - this.near <= high; k++)
      found.push({ at: k * step * scale - this.near, text: (k * step).toFixed(digits) });
    return found;
  }
}

function dateMarks(low, high, most) {
  const least = (high - low) / most;
  if (least > 1209600) return monthMarks(low, high, least / 2630016);
  const step = least > 1 ? STEPS.find((s) => s >= least) : niceStep(least);
  const found = [];
  let day = "";
  for (let k = Math.ceil(low / step); k * step <= high; k++) {
    const at = k * step;
    const iso = new Date(Math.floor(at + 1e-9) * 1000).toISOString();
    const date = iso.slice(0, iso.indexOf("T"));
    if (step >= 86400) found.push({ at, text: date });
    else {
      const digits = step < 1 ? Math.ceil(-Math.log10(step) - 1e-9) : 0;
      const clock = iso.slice(iso.indexOf("T") + 1);
      const part = digits ? (at - Math.floor(at + 1e-9)).toFixed(digits).slice(1) : "";
      found.push({ at, text: step >= 60 ? clock.slice(0, 5) : clock.slice(0, 8) + part, context: date === day ? "" : date });
      day = date;
    }
  }
  return found;
}

function monthMarks(low, high, least) {
  const months = [1, 2, 3, 6].find((m) => m >= least) || 12 * Math.max(1, Math.round(niceStep(least / 12)));
  const begin = new Date(low * 1000);
  const found = [];
  for (let n = Math.floor((begin.getUTCFullYear() * 12 + begin.getUTCMonth()) / months) * months; ; n += months) {
    const date = new Date(0);
    date.setUTCFullYear(Math.floor(n / 12), ((n % 12) + 12) % 12, 1);
    const at = date.getTime() / 1000;
    if (!(at <= high)) return found;
    const iso = date.toISOString();
    if (at >= low) found.push({ at, text: iso.slice(0, months >= 12 ? iso.indexOf("-", 1) : iso.indexOf("T") - 3) });
  }
}

// Around the field

const element = (id) => document.getElementById(id);

function theme() {
  const style = getComputedStyle(document.documentElement);
  const names = ["paper", "ink", "faint", "band", "line", "focus", "ground", "track", "hover"];
  return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
}

// A button for each entry, which shows and hides it.
function legend(parent, entries, onChange) {
  const shown = entries.map(() => true);
  const buttons = entries.map(({ name, colour, unused }, number) => {
    const button = document.createElement("button");
    const swatch = document.createElement("i");
    swatch.style.background = colour;
    const text = document.createElement("span");
    text.textContent = name;
    button.append(swatch, text);
    button.hidden = Boolean(unused);
    button.title = `${name}: show or hide (double click: only this)`;
    button.addEventListener("click", () => set(number, !shown[number]));
    button.addEventListener("dblclick", () => {
      const alone = shown.every((on, at) => on === (at === number));
      shown.forEach((_, at) => set(at, alone || at === number));
    });
    button.setAttribute("aria-pressed", "true");
    parent.append(button);
    return button;
  });
  function set(number, on) {
    shown[number] = on;
    buttons[number].setAttribute("aria-pressed", String(on));
    onChange();
  }
  return shown;
}

function hover(text, x, y) {
  const tip = element("tip");
  tip.style.visibility = text ? "visible" : "hidden";
  if (!text) return;
  tip.textContent = text;
  const { width, height } = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - width - 6))}px`;
  tip.style.top = `${y + 18 + height > innerHeight ? Math.max(4, y - height - 10) : y + 18}px`;
}

// A canvas as large as its field, in real pixels; `draw` runs at most once a frame.
function painter(canvas, field, draw) {
  let waiting = false;
  const paint = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      draw(canvas.getContext("2d"), field.clientWidth, field.clientHeight);
    });
  };
  const fit = () => {
    const ratio = devicePixelRatio || 1;
    canvas.width = Math.max(1, Math.round(field.clientWidth * ratio));
    canvas.height = Math.max(1, Math.round(field.clientHeight * ratio));
    canvas.style.width = `${field.clientWidth}px`;
    canvas.style.height = `${field.clientHeight}px`;
    canvas.getContext("2d").setTransform(ratio, 0, 0, ratio, 0, 0);
    paint();
  };
  new ResizeObserver(fit).observe(field);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
  fit();
  // The first picture is there as soon as the script has run.
  draw(canvas.getContext("2d"), field.clientWidth, field.clientHeight);
  return paint;
}

// Dragging, pinching and the wheel, as moves by pixels and zooms around a point.
function gestures(canvas, { move, zoom, point, leave }) {
  const held = new Map();
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    held.set(event.pointerId, event);
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = held.get(event.pointerId);
    if (!before) return point(event);
    hover("");
    const others = [...held.values()].filter((other) => other.pointerId !== event.pointerId);
    if (others.length) {
      const distance = (one) => Math.hypot(one.offsetX - others[0].offsetX, one.offsetY - others[0].offsetY) || 1;
      zoom(distance(event) / distance(before), (event.offsetX + others[0].offsetX) / 2, (event.offsetY + others[0].offsetY) / 2);
    } else move(event.offsetX - before.offsetX, event.offsetY - before.offsetY);
    held.set(event.pointerId, event);
  });
  for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (event) => held.delete(event.pointerId));
  canvas.addEventListener("pointerleave", leave);
  canvas.addEventListener("dblclick", (event) => zoom(event.shiftKey ? 0.5 : 2, event.offsetX, event.offsetY));
}
