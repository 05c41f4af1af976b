"use strict";
// A picture in a page: drag, wheel and keys move and scale it.

const field = element("field");
const picture = field.querySelector("svg");
const size = { width: picture.width.baseVal.value, height: picture.height.baseVal.value };
const view = { x: 0, y: 0, scale: 1 };
picture.style.transformOrigin = "0 0";
picture.style.position = "absolute";

function paint() {
  picture.style.transform = `translate(${view.x}px, ${view.y}px) scale(${view.scale})`;
}

function fit() {
  view.scale = Math.min(1.5, field.clientWidth / size.width, field.clientHeight / size.height);
  view.x = (field.clientWidth - size.width * view.scale) / 2;
  view.y = (field.clientHeight - size.height * view.scale) / 2;
  paint();
}

function zoom(factor, x = field.clientWidth / 2, y = field.clientHeight / 2) {
  const scale = Math.min(Math.max(view.scale * factor, 0.02), 20);
  view.x = x - ((x - view.x) * scale) / view.scale;
  view.y = y - ((y - view.y) * scale) / view.scale;
  view.scale = scale;
  paint();
}

function move(dx, dy) {
  view.x += dx;
  view.y += dy;
  paint();
}

const KEYS = {
  ArrowLeft: () => move(60, 0), ArrowRight: () => move(-60, 0), ArrowUp: () => move(0, 60), ArrowDown: () => move(0, -60),
  "+": () => zoom(1.3), "=": () => zoom(1.3), "-": () => zoom(1 / 1.3), 0: fit, Home: fit, 1: () => zoom(1 / view.scale),
};

field.addEventListener("keydown", (event) => {
  const action = !event.ctrlKey && !event.metaKey && !event.altKey && KEYS[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});
let held = null;
field.addEventListener("pointerdown", (event) => (held = event));
addEventListener("pointermove", (event) => {
  if (!held) return;
  move(event.clientX - held.clientX, event.clientY - held.clientY);
  held = event;
});
addEventListener("pointerup", () => (held = null));
field.addEventListener("wheel", (event) => {
  event.preventDefault();
  const box = field.getBoundingClientRect();
  zoom(Math.exp(-event.deltaY / 400), event.clientX - box.left, event.clientY - box.top);
}, { passive: false });
for (const [id, action] of [["in", () => zoom(1.3)], ["out", () => zoom(1 / 1.3)], ["all", fit]])
  element(id).addEventListener("click", action);
addEventListener("resize", fit);
fit();
