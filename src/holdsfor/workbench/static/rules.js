// The rule files: what is being written, what is wrong with it, and what is on disk.
import { Editor } from "/static/vendor/editor.js";
import { ask, download, element, make, say, setUpTabs } from "/static/talk.js";

const PAUSE = 250;
const SEVERITY = { error: "error", warning: "warning", note: "info" };
const files = new Map(); // name -> { text, saved, version }
const listeners = new Set();
let editor = null;
let current = "";
let findings = [];
let asked = null;
let waiting = 0;
let maySave = true;

export const texts = () => Object.fromEntries([...files].map(([name, file]) => [name, file.text]));
export const onChecked = (listener) => listeners.add(listener);

const isDirty = (file) => file.text !== file.saved;
const shortName = (name) => name.split(/[\\/]/).pop();
const place = (offset) => ({ files: texts(), name: current, offset });

const host = {
  complete: (offset) => ask("/api/complete", place(offset)).catch(() => []),
  async hover(offset) {
    const found = await ask("/api/hover", place(offset)).catch(() => null);
    return found && { ...found, dom: make("div", { className: "told" }, found.text.replaceAll(/\*\*|`/g, "")) };
  },
  changed(text) {
    files.get(current).text = text;
    showFiles();
    checkSoon();
  },
};

export function setUpRules(desk, keys) {
  maySave = desk.may_save;
  element("reload").hidden = !maySave;
  if (!maySave) element("save").textContent = "Download";
  for (const [name, { text, version }] of Object.entries(desk.files)) files.set(name, { text, saved: text, version });
  editor = new Editor(element("editor"), {
    host,
    keys: [
      ...keys,
      { key: "Mod-s", run: () => (save(), true), preventDefault: true },
      { key: "Mod-Shift-f", run: () => (format(), true), preventDefault: true },
    ],
  });
  setUpTabs(element("files"), (tab) => openFile(tab.dataset.name, true));
  element("save").onclick = save;
  element("format").onclick = format;
  element("reload").onclick = () => reload(current);
  addEventListener("beforeunload", (event) => [...files.values()].some(isDirty) && event.preventDefault());
  addEventListener("focus", lookAtDisk);
  openFile(files.keys().next().value);
  check();
}

export function showRule(name, from, to) {
  if (!files.has(name)) return say(`${name} is not one of the files of this page`, true);
  openFile(name);
  editor.show(from, to);
}

export const canShow = (name) => files.has(name);

function openFile(name, isChosen = false) {
  if (name !== current) {
    current = name;
    editor.open(name, files.get(name).text, name.endsWith(".dmtl"));
    mark();
  }
  showFiles();
  if (isChosen) element("files").querySelector('[aria-selected="true"]').focus();
}

function showFiles() {
  const hadFocus = element("files").contains(document.activeElement);
  const tabs = [...files].map(([name, file]) => {
    const tab = make("button", { role: "tab", ariaSelected: String(name === current), title: name }, shortName(name));
    tab.dataset.name = name;
    tab.tabIndex = name === current ? 0 : -1;
    tab.setAttribute("aria-controls", "left");
    if (isDirty(file)) tab.append(make("span", { className: "unsaved", title: "not saved" }, " •"));
    return tab;
  });
  element("files").replaceChildren(...tabs);
  element("save").disabled = maySave && !isDirty(files.get(current));
  if (hadFocus) element("files").querySelector('[aria-selected="true"]').focus();
}

// What is wrong: asked a moment after the last key; answers to older texts are dropped.

function checkSoon() {
  clearTimeout(waiting);
  waiting = setTimeout(check, PAUSE);
}

async function check() {
  asked?.abort();
  const mine = (asked = new AbortController());
  try {
    const found = await ask("/api/check", { files: texts() }, "POST", mine.signal);
    if (mine !== asked) return;
    findings = found.findings;
    mark();
    listFindings();
    for (const listener of listeners) listener(found);
  } catch (problem) {
    if (problem.name !== "AbortError") say(problem.message, true);
  }
}

function mark() {
  const here = findings.filter((one) => one.file === current);
  editor.mark(
    here.map((one) => ({
      from: one.from,
      to: Math.max(one.to, one.from + 1),
      severity: SEVERITY[one.severity],
      message: `${one.message}${one.hint ? `\n${one.hint}` : ""}`,
    })),
  );
}

function listFindings() {
  const items = findings.map((one) => {
    const where = files.size > 1 ? `${shortName(one.file)}:${one.line}` : `line ${one.line}`;
    const code = make("span", { className: "code" }, one.code);
    const button = make("button", {}, code, ` ${where}: ${one.message}`);
    if (one.hint) button.append(" ", make("span", { className: "hint" }, one.hint));
    button.onclick = () => showRule(one.file, one.from, one.to);
    return make("li", { className: one.severity }, button);
  });
  element("findings").replaceChildren(...items);
}

// Disk

export async function save() {
  const name = current;
  const file = files.get(name);
  const text = file.text;
  if (!maySave) return download(shortName(name), new Blob([text], { type: "text/plain" }));
  try {
    const { version } = await ask("/api/save", { name, text, version: file.version }, "PUT");
    Object.assign(file, { saved: text, version });
    hideConflict();
    say(`saved ${shortName(name)}`);
    showFiles();
  } catch (problem) {
    if (problem.status === 409) showConflict(name, problem.message);
    else say(problem.message, true);
  }
}

function showConflict(name, message) {
  const mine = make("button", {}, "Save over it");
  const theirs = make("button", {}, "Load theirs");
  mine.onclick = async () => {
    // Whoever saves over a file has been told so: from now on it is this version that is being worked on.
    files.get(name).version = (await ask("/api/read", { name })).version;
    openFile(name);
    await save();
  };
  theirs.onclick = () => reload(name, true);
  element("conflict").replaceChildren(`${message} `, mine, " ", theirs);
  element("conflict").hidden = false;
}

const hideConflict = () => (element("conflict").hidden = true);

async function reload(name, isSure = false) {
  const file = files.get(name);
  if (!isSure && isDirty(file) && !confirm(`Give up what was changed in ${shortName(name)}?`)) return;
  try {
    const { text, version } = await ask("/api/read", { name });
    Object.assign(file, { saved: text, version });
    openFile(name);
    if (text !== file.text) editor.replace(text);
    hideConflict();
    showFiles();
    say(`loaded ${shortName(name)}`);
  } catch (problem) {
    say(problem.message, true);
  }
}

// Another program may have written a file while the page was not looked at.
async function lookAtDisk() {
  if (!maySave) return;
  for (const [name, file] of files) {
    const there = await ask("/api/read", { name }).catch(() => null);
    if (!there || there.version === file.version) continue;
    if (isDirty(file)) showConflict(name, `${name} has been changed on disk since it was read.`);
    else if (name === current) await reload(name, true);
    else {
      Object.assign(file, { text: there.text, saved: there.text, version: there.version });
      editor.forget(name);
      checkSoon();
    }
  }
}

async function format() {
  const name = current;
  try {
    const { text } = await ask("/api/format", place(0));
    if (name === current && text !== files.get(name).text) editor.replace(text);
  } catch (problem) {
    say(`cannot be formatted: ${problem.message}`, true);
  }
}
