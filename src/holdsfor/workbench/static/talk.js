// What all parts of the page share: asking the server, saying something, making elements of text.
// Behind # stands the token, or something to open (`example=…`, `share=…`); then the token is the one of the last time.
// It is good for this server alone, and the next start has another.
const KEY = "holdsfor-token";
const fragment = location.hash.slice(1);
const [, wish, wished] = /^(example|share)=(.*)$/s.exec(fragment) ?? [];
export const wanted = wish ? { kind: wish, value: decodeURIComponent(wished) } : null;
if (!wanted && fragment) remember(fragment);
const token = wanted ? remembered() : fragment;

export const hasToken = token !== "";
let bench = "main";
export const workOn = (name) => (bench = name);
export const home = () => go(token);

// Another fragment is another desk: the page is loaded anew, so that nothing of the last one is left.
addEventListener("hashchange", () => location.reload());
export function go(to) {
  if (location.hash.slice(1) === to) location.reload();
  else location.hash = to;
}

function remember(value) {
  try {
    localStorage.setItem(KEY, value);
  } catch {
    // Without storage, examples and links cannot be opened; everything else works.
  }
}

function remembered() {
  try {
    return localStorage.getItem(KEY) ?? "";
  } catch {
    return "";
  }
}

export const element = (id) => document.getElementById(id);

export class Refusal extends Error {
  constructor(message, status, findings) {
    super(message);
    this.status = status;
    this.findings = findings;
  }
}

export async function ask(path, body, method = "POST", signal = undefined) {
  return (await request(path, body, method, signal)).json().catch(() => ({}));
}

// The answer to a question that the server has not refused.
export async function request(path, body, method = "POST", signal = undefined) {
  const headers = { "content-type": "application/json", "x-holdsfor-token": token, "x-holdsfor-bench": bench };
  let response;
  try {
    response = await fetch(path, { method, headers, signal, body: body === undefined ? undefined : JSON.stringify(body) });
  } catch (problem) {
    if (problem.name === "AbortError") throw problem;
    throw new Refusal("the page has lost its server; start `holdsfor serve` again", 0, []);
  }
  if (response.ok) return response;
  const answer = await response.json().catch(() => ({}));
  throw new Refusal(answer.error ?? response.statusText, response.status, answer.findings ?? []);
}

// A file for whoever looks at the page.
export function download(name, content) {
  const address = URL.createObjectURL(content);
  const link = make("a", { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

export function say(text, isBad = false) {
  element("status").textContent = text;
  element("status").classList.toggle("bad", isBad);
}

// An element; whatever comes from rules, events or files goes in as text and never as HTML.
export function make(tag, properties = {}, ...inside) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.includes("-")) made.setAttribute(name, value);
    else made[name] = value;
  }
  made.append(...inside.filter((one) => one !== null && one !== undefined && one !== ""));
  return made;
}

// A cell of a table. Dates may be broken where the day ends, and nowhere else.
export function cell(text) {
  const parts = /^(-?\d{4,}-\d\d-\d\d)(T.*)$/.exec(text);
  if (!parts) return make("td", {}, text);
  const [day, time] = parts.slice(1).map((part) => make("span", { className: "whole" }, part));
  return make("td", { className: "date" }, day, make("wbr"), time);
}

// A text in which dates are not broken at their hyphens.
const DATES = /(-?\d{4,}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-][\d:]+)?)?)/;
export const withDates = (text) =>
  text.split(DATES).map((part, at) => (at % 2 ? make("span", { className: "whole" }, part) : part));

// Tabs by click and by arrow keys, as people who use keyboards know them.
export function setUpTabs(list, choose) {
  list.addEventListener("keydown", (event) => {
    const tabs = [...list.querySelectorAll("[role=tab]")].filter((one) => !one.hidden);
    const at = tabs.indexOf(document.activeElement);
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (at < 0 || next === undefined) return;
    event.preventDefault();
    choose(tabs[(next + tabs.length) % tabs.length]);
  });
  list.addEventListener("click", (event) => {
    const tab = event.target.closest("[role=tab]");
    if (tab) choose(tab);
  });
}
