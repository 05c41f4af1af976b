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

const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800, 1209600];
const FURTHEST = 8.64e12;

function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  for (const factor of [1, 2, 5, 10]) if (factor * power >= least * (1 - 1e-9)) return factor * power;
  return 20 * power;
}

class Clock {
  // With dates, a time-point has so many seconds, and `offsets` says from which second on local clocks are how far ahead of UTC.
  constructor({ origin, scale, second, zone, offsets }) {
    this.origin = BigInt(origin);
    this.near = Number(this.origin);
    this.scale = scale;
    this.second = second;
    this.zone = zone;
    this.offsets = offsets;
  }

  text(at) {
    if (!Number.isFinite(at)) return at > 0 ? "∞" : "−∞";
    if (this.second) {
      const seconds = this.seconds(at);
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

  seconds(at) {
    return ((this.near + at) / (this.scale || 1)) * this.second;
  }

  ahead(seconds) {
    let found = this.offsets[0][1];
    for (const [from, offset] of this.offsets) if (from <= seconds) found = offset;
    return found;
  }

  date(seconds) {
    const micro = Math.round((seconds - Math.floor(seconds)) * 1e6);
    const whole = Math.floor(seconds) + (micro === 1e6 ? 1 : 0);
    const rest = micro % 1e6 ? "." + String(micro).padStart(6, "0").replace(/0+$/, "") : "";
    const ahead = this.ahead(whole);
    return new Date((whole + ahead) * 1000).toISOString().slice(0, -5) + rest + (this.zone === "UTC" ? "Z" : offsetText(ahead));
  }

  marks(low, high, most) {
    if (this.second) {
      const [first, last] = [this.seconds(low), this.seconds(high)];
      const tick = (this.scale || 1) / this.second;
      if (Math.max(Math.abs(first), Math.abs(last)) < FURTHEST)
        return dateMarks(first, last, most, this.offsets).map((m) => ({ ...m, at: m.at * tick - this.near }));
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

function offsetText(seconds) {
  const part = (size, most) => String(Math.floor(Math.abs(seconds) / size) % most).padStart(2, "0");
  return `${seconds < 0 ? "-" : "+"}${part(3600, 100)}:${part(60, 60)}${seconds % 60 ? ":" + part(1, 60) : ""}`;
}

// The parts of time between which local clocks change: first, last, seconds ahead of UTC, whether the last belongs to it.
function* parts(low, high, offsets) {
  for (let at = 0; at < offsets.length; at++) {
    const first = at ? Math.max(low, offsets[at][0]) : low;
    const last = at + 1 < offsets.length ? Math.min(high, offsets[at + 1][0]) : high;
    if (first <= last) yield [first, last, offsets[at][1], last === high];
  }
}

function dateMarks(low, high, most, offsets) {
  const least = (high - low) / most;
  if (least > 1209600) return monthMarks(low, high, least / 2630016, offsets);
  const step = least > 1 ? STEPS.find((s) => s >= least) : niceStep(least);
  const digits = step < 1 ? Math.ceil(-Math.log10(step) - 1e-9) : 0;
  const found = [];
  let day = "";
  for (const [first, last, ahead, closed] of parts(low, high, offsets))
    for (let k = Math.ceil((first + ahead) / step); k * step - ahead < last || (closed && k * step - ahead === last); k++) {
      const [local, at] = [k * step, k * step - ahead];
      const iso = new Date(Math.floor(local + 1e-9) * 1000).toISOString();
      const date = iso.slice(0, iso.indexOf("T"));
      if (step >= 86400) found.push({ at, text: date });
      else {
        const clock = iso.slice(iso.indexOf("T") + 1);
        const part = digits ? (local - Math.floor(local + 1e-9)).toFixed(digits).slice(1) : "";
        found.push({ at, text: step >= 60 ? clock.slice(0, 5) : clock.slice(0, 8) + part, context: date === day ? "" : date });
        day = date;
      }
    }
  return found;
}

function monthMarks(low, high, least, offsets) {
  const months = [1, 2, 3, 6].find((m) => m >= least) || 12 * Math.max(1, Math.round(niceStep(least / 12)));
  const found = [];
  for (const [first, last, ahead, closed] of parts(low, high, offsets)) {
    const begin = new Date((first + ahead) * 1000);
    for (let n = Math.floor((begin.getUTCFullYear() * 12 + begin.getUTCMonth()) / months) * months; ; n += months) {
      const date = new Date(0);
      date.setUTCFullYear(Math.floor(n / 12), ((n % 12) + 12) % 12, 1);
      const at = date.getTime() / 1000 - ahead;
      if (!(closed ? at <= last : at < last)) break;
      const iso = date.toISOString();
      if (at >= first) found.push({ at, text: iso.slice(0, months >= 12 ? iso.indexOf("-", 1) : iso.indexOf("T") - 3) });
    }
  }
  return found;
}

// Around the field

const element = (id) => document.getElementById(id);

function theme() {
  const style = getComputedStyle(document.documentElement);
  const names = ["paper", "ink", "faint", "band", "line", "focus", "ground", "sea", "track", "hover"];
  return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
}

// A button for each entry, which shows and hides it.
function legend(parent, entries, onChange) {
  const shown = entries.map(() => true);
  const buttons = entries.map(({ name, colour, dark, unused }, number) => {
    const button = document.createElement("button");
    const swatch = document.createElement("i");
    swatch.style.background = colour;
    // Browsers that do not know it keep the one before.
    if (dark) swatch.style.background = `light-dark(${colour}, ${dark})`;
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
