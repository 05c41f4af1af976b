// What all parts of the page share: asking the server, saying something, making elements of text.
const token = location.hash.slice(1);

export const hasToken = token !== "";
export const element = (id) => document.getElementById(id);

export class Refusal extends Error {
  constructor(message, status, findings) {
    super(message);
    this.status = status;
    this.findings = findings;
  }
}

export async function ask(path, body, method = "POST", signal = undefined) {
  const headers = { "content-type": "application/json", "x-holdsfor-token": token };
  let response;
  try {
    response = await fetch(path, { method, headers, signal, body: body === undefined ? undefined : JSON.stringify(body) });
  } catch (problem) {
    if (problem.name === "AbortError") throw problem;
    throw new Refusal("the page has lost its server; start `holdsfor serve` again", 0, []);
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refusal(answer.error ?? response.statusText, response.status, answer.findings ?? []);
  return answer;
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
