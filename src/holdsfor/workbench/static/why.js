// Questions: why does it hold, or why not. The answer is a tree that folds; rules in it lead to the editor.
import { ask, element, make, withDates } from "/static/talk.js";
import { canShow, showRule } from "/static/rules.js";

// What a step is about, in a word, and its colour.
const TAGS = {
  holds: ["holds", "blue"],
  initiated: ["begins", "green"],
  terminated: ["ends", "red"],
  initially: ["initially", "green"],
  "delayed effect": ["delayed", "amber"],
  broken: ["broken", "red"],
  event: ["event", "violet"],
  boundary: ["edge", "violet"],
  row: ["row", "teal"],
  rule: ["rule", "blue"],
  condition: ["test", "grey"],
  background: ["fact", "teal"],
  absent: ["not there", "grey"],
  nearest: ["nearest", "amber"],
  operator: ["operator", "blue"],
  metric: ["derived", "blue"],
  fact: ["fact", "teal"],
};
const OPEN_LEVELS = 4;
let runNumber = () => null;
let latest = 0;

export function setUpWhy(current) {
  runNumber = current;
  element("ask").onsubmit = (event) => {
    event.preventDefault();
    answer();
  };
  element("close-why").onclick = () => {
    forgetAnswer();
    element("question").focus();
  };
}

export function askWhy(question, at) {
  element("question").value = question;
  element("at").value = at;
  answer();
}

// What can be asked about, for the field that completes it.
export function offer(questions) {
  element("known").replaceChildren(...questions.map((value) => make("option", { value })));
}

export function forgetAnswer() {
  latest += 1;
  element("answer").hidden = element("close-why").hidden = true;
  element("why").classList.remove("answered");
  element("answer").replaceChildren();
}

async function answer() {
  const mine = ++latest;
  const [question, at] = [element("question").value, element("at").value];
  if (runNumber() === null) return show(trouble({ message: "nothing has been run yet" }));
  if (!question.trim()) return show(trouble({ message: "ask about something, such as open(front)=true" }));
  try {
    const found = await ask("/api/explain", { run: runNumber(), question, at });
    if (mine !== latest) return;
    // A date, where somebody has chosen an interval of the timeline, which knows numbers only.
    element("at").value = found.at;
    show(explanation(found));
  } catch (problem) {
    if (mine !== latest) return;
    show(trouble(problem));
    const place = problem.findings?.find((one) => one.file === "<question>");
    if (place) element("question").setSelectionRange(place.from, place.to);
  }
}

function show(content) {
  element("answer").hidden = element("close-why").hidden = false;
  element("why").classList.add("answered");
  element("answer").replaceChildren(content);
  element("answer").scrollTop = 0;
  if (matchMedia("(max-width: 860px)").matches) element("why").scrollIntoView({ block: "start" });
}

function trouble(problem) {
  const hint = problem.findings?.[0]?.hint;
  return make("div", { className: "trouble" }, make("p", {}, problem.message), hint ? make("p", { className: "note" }, hint) : "");
}

function explanation(found) {
  const verdict = found.holds ? make("span", { className: "verdict yes" }, "holds") : make("span", { className: "verdict no" }, "does not hold");
  const known = found.query_time === null ? "" : `, as known at query time ${found.query_time}`;
  const copy = make("button", { type: "button", className: "small" }, "Copy as text");
  copy.onclick = () => navigator.clipboard.writeText(found.text).then(() => (copy.textContent = "Copied"));
  return make(
    "div",
    {},
    make("h2", {}, verdict, found.question, make("span", { className: "note" }, ` at ${found.at}${known} `), copy),
    ...found.notes.map((note) => make("p", { className: "note" }, ...withDates(note))),
    make("ul", { className: "tree" }, step(found.root, 0)),
  );
}

function step(node, level) {
  const [word, hue] = TAGS[node.kind] ?? ["", ""];
  const line = make("span", { className: node.kind === "note" ? "note" : node.holds ? "" : "fails" });
  if (word) line.append(make("span", { className: `tag ${hue}` }, word));
  line.append(...withDates(node.text));
  if (node.again) line.append(make("span", { className: "note" }, " (shown above)"));
  const below = [
    ...(node.rule ? [rule(node.rule)] : []),
    ...(node.rows ?? []).map(row),
    ...(node.more ? [deeper(node)] : []),
    ...(node.children ? [make("ul", {}, ...node.children.map((child) => step(child, level + 1)))] : []),
  ];
  if (!below.length) return make("li", {}, make("div", { className: "leaf" }, line));
  // What fails is what somebody came for: it is open however deep it lies.
  const details = make("details", { open: level < OPEN_LEVELS || !node.holds }, make("summary", {}, line), ...below);
  return make("li", {}, details);
}

function rule(used) {
  const where = `${used.file.split("/").pop()}:${used.line}`;
  const link = make("button", { type: "button", className: "link", title: "Show the rule in the editor" }, where);
  link.onclick = () => showRule(used.file, used.from, used.to);
  const values = Object.entries(used.values).map(([name, value]) => make("span", {}, `${name} = ${value}`));
  return make(
    "div",
    { className: "from" },
    canShow(used.file) ? link : where,
    make("code", {}, used.text),
    values.length ? make("div", { className: "values" }, ...values) : "",
  );
}

const row = (one) =>
  make("div", { className: "from" }, `${one.file.split("/").pop()}:${one.line}`, make("code", {}, one.text));

function deeper(node) {
  if (!node.question) return make("p", { className: "from" }, "… more");
  const link = make("button", { type: "button", className: "link" }, "… go on from here");
  link.onclick = () => askWhy(node.question, node.at);
  return make("p", { className: "from" }, link);
}
