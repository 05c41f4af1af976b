// The workbench: an editor on the left, what the rules make of the sample on the right, and why below it.
import { makeEditor, replaceText, showPlace } from "/static/vendor/editor.js";
import { showRun, showTimeline } from "/static/results.js";
import { follow } from "/static/live.js";
import { setUpWhy } from "/static/why.js";

const token = location.hash.slice(1);
const element = (id) => document.getElementById(id);
const texts = {};
const saved = {};
let current = "";
let editor = null;
let isMetric = false;

export async function ask(path, body, method = "POST") {
  const response = await fetch(path, {
    method,
    headers: { "content-type": "application/json", "x-holdsfor-token": token },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error([answer.error ?? response.statusText, ...(answer.findings ?? [])][0]);
  return answer;
}

export function say(text, isBad = false) {
  element("status").textContent = text;
  element("status").classList.toggle("bad", isBad);
}

const host = {
  async lint() {
    try {
      const { findings } = await ask("/api/check", { files: texts });
      listFindings(findings);
      return findings.filter((one) => one.file === current).map(marked);
    } catch (problem) {
      say(problem.message, true);
      return [];
    }
  },
  complete: (_, offset) => ask("/api/complete", { files: texts, name: current, offset }).catch(() => []),
  async hover(_, offset) {
    const found = await ask("/api/hover", { files: texts, name: current, offset }).catch(() => null);
    if (!found) return null;
    const dom = document.createElement("div");
    dom.className = "note";
    dom.textContent = found.text.replaceAll("**", "").replaceAll("`", "");
    return { ...found, dom };
  },
  changed(text) {
    texts[current] = text;
    showFiles();
  },
};

const SEVERITY = { error: "error", warning: "warning", note: "info" };
const marked = (one) => ({
  from: one.from,
  to: Math.max(one.to, one.from + 1),
  severity: SEVERITY[one.severity],
  message: `${one.code}: ${one.message}${one.hint ? `\n${one.hint}` : ""}`,
});

function listFindings(findings) {
  element("findings").replaceChildren(
    ...findings.map((one) => {
      const item = document.createElement("li");
      const button = document.createElement("button");
      const code = document.createElement("span");
      item.className = one.severity;
      code.className = "code";
      code.textContent = one.code;
      button.append(code, `line ${one.line}: ${one.message}`);
      if (one.hint) {
        const hint = document.createElement("span");
        hint.className = "hint";
        hint.textContent = one.hint;
        button.append(hint);
      }
      button.onclick = () => {
        openFile(one.file);
        showPlace(editor, one.from, one.to);
      };
      item.append(button);
      return item;
    }),
  );
}

function openFile(name) {
  if (name === current || !(name in texts)) return;
  current = name;
  editor?.destroy();
  editor = makeEditor(element("editor"), {
    text: texts[name],
    label: `Rules in ${name}`,
    isMetric: name.endsWith(".dmtl"),
    host,
    keys: [
      { key: "Mod-Enter", run: () => (run(), true) },
      { key: "Mod-s", run: () => (save(), true) },
      { key: "Mod-Shift-f", run: () => (format(), true) },
    ],
  });
  showFiles();
}

function showFiles() {
  element("files").replaceChildren(
    ...Object.keys(texts).map((name) => {
      const button = document.createElement("button");
      button.role = "tab";
      button.ariaSelected = String(name === current);
      button.textContent = name.split("/").pop() + (texts[name] === saved[name] ? "" : " •");
      button.title = name;
      button.onclick = () => openFile(name);
      return button;
    }),
  );
}

async function run() {
  const number = (id) => (element(id).value === "" ? null : Number(element(id).value));
  element("run").disabled = true;
  say("running …");
  try {
    const options = isMetric ? {} : { window: number("window"), step: number("step") };
    const data = await ask("/api/run", { files: texts, ...options });
    const skipped = data.malformed ? `, ${data.malformed} malformed rows skipped` : "";
    say(`${data.intervals.toLocaleString()} intervals from ${data.read.toLocaleString()} rows${skipped}`);
    showRun(data);
    showTimeline(data.run);
  } catch (problem) {
    say(problem.message, true);
  } finally {
    element("run").disabled = false;
  }
}

async function save() {
  try {
    await ask(`/api/files/${encodeURIComponent(current)}`, { text: texts[current] }, "PUT");
    saved[current] = texts[current];
    showFiles();
    say(`saved ${current}`);
  } catch (problem) {
    say(problem.message, true);
  }
}

async function format() {
  try {
    const { text } = await ask("/api/format", { files: texts, name: current });
    if (text !== texts[current]) replaceText(editor, text);
  } catch (problem) {
    say(problem.message, true);
  }
}

function setUpTabs() {
  const tabs = [...document.querySelectorAll(".tabs [role=tab]")];
  const choose = (tab) => {
    for (const one of tabs) {
      one.ariaSelected = String(one === tab);
      one.tabIndex = one === tab ? 0 : -1;
      element(one.getAttribute("aria-controls")).hidden = one !== tab;
    }
  };
  for (const tab of tabs) {
    tab.onclick = () => choose(tab);
    tab.onkeydown = (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const shown = tabs.filter((one) => !one.hidden);
      const next = shown[(shown.indexOf(tab) + step + shown.length) % shown.length];
      choose(next);
      next.focus();
    };
  }
  return choose;
}

const choose = setUpTabs();
setUpWhy(ask);
element("run").onclick = run;
element("save").onclick = save;
element("format").onclick = format;
document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key === "Enter" && !event.defaultPrevented) run();
});

const desk = await (await fetch("/api/desk")).json();
isMetric = desk.is_metric;
Object.assign(texts, desk.files);
Object.assign(saved, desk.files);
for (const id of ["window", "step"]) element(id).disabled = isMetric;
openFile(Object.keys(texts)[0]);
if (desk.is_live) {
  element("tab-live").hidden = false;
  choose(element("tab-live"));
  follow();
} else if (desk.events.length) run();
if (!token) say("open the page by the address that was printed: it has the token for running and saving", true);
