// Examples to begin with, links that carry rules and events, and what a link has brought.
import { ask, element, go, make, say } from "/static/talk.js";
import { texts } from "/static/rules.js";

let examples = null;

export function setUpGallery(options) {
  element("examples").onclick = showGallery;
  element("gallery-search").oninput = listExamples;
  element("share").onclick = () => makeLink(options());
  element("copy-link").onclick = copyLink;
  element("open-link").onsubmit = openLink;
}

export async function showGallery() {
  element("gallery").showModal();
  try {
    examples ??= await ask("/api/examples", undefined, "GET");
    listExamples();
  } catch (problem) {
    element("gallery-count").textContent = problem.message;
  }
}

function listExamples() {
  if (!examples) return;
  const words = element("gallery-search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (one) => words.every((word) => `${one.title} ${one.about} ${one.name}`.toLowerCase().includes(word));
  const shown = examples.filter(fits);
  element("gallery-count").textContent = examples.length
    ? `${shown.length} of ${examples.length} examples`
    : "The examples were not installed with this version of holdsfor.";
  element("gallery-list").replaceChildren(...shown.map(card));
}

function card(one) {
  const [title, idea] = one.title.split(/: (.*)/s);
  const open = make("button", { "aria-label": `Open ${title}` }, "Open");
  open.onclick = () => go(`example=${encodeURIComponent(one.name)}`);
  const files = [...one.rules, ...one.events, ...one.tables].join(", ");
  return make(
    "li",
    {},
    make("h3", {}, title),
    idea ? make("p", { className: "idea" }, idea) : "",
    make("p", {}, one.about),
    make("div", { className: "foot" }, make("span", { className: "note" }, files), open),
  );
}

// Links

async function makeLink(options) {
  const about = element("link-about");
  element("link-made").hidden = element("copy-link").hidden = true;
  element("copy-link").textContent = "Copy";
  try {
    const { share } = await ask("/api/share", { files: texts(), ...options });
    element("link-text").value = `${location.origin}/#share=${share}`;
    element("link-made").hidden = element("copy-link").hidden = false;
    about.className = "";
    about.textContent =
      "The link carries the rules and the events themselves: whoever has it can read them. It opens in a workbench that " +
      "runs at the same address; elsewhere, paste it under Examples.";
  } catch (problem) {
    about.className = "trouble";
    about.textContent = problem.message;
  }
  element("link").showModal();
}

async function copyLink() {
  try {
    await navigator.clipboard.writeText(element("link-text").value);
    element("copy-link").textContent = "Copied";
  } catch {
    element("link-text").select();
    say("copy the link with Ctrl-C");
  }
}

function openLink(event) {
  event.preventDefault();
  const [, share] = element("link-given").value.trim().split("#share=");
  element("link-problem").hidden = Boolean(share);
  element("link-problem").textContent = share ? "" : "That is no link of a workbench: there is no #share= in it.";
  if (share) go(`share=${share}`);
}

// Whether somebody wants to open what a link brings, having seen what that is.
export async function agreed(share) {
  const { files } = await ask("/api/peek", { share });
  const items = Object.entries(files).map(([name, lines]) =>
    make("li", {}, make("code", {}, name), ` ${lines.toLocaleString("en")} line${lines === 1 ? "" : "s"}`),
  );
  element("brought-files").replaceChildren(...items);
  const dialog = element("brought");
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.onclose = () => resolve(dialog.returnValue === "yes");
  });
}
