// Input that could not be used: rows that make no sense, and names that no rule knows.
import { element, make } from "/static/talk.js";

export function showProblems(run) {
  const strange = Object.entries(run.unknown).sort((a, b) => b[1] - a[1]);
  const count = run.malformed + strange.length;
  element("tab-input").classList.toggle("problem", count > 0);
  element("problems").hidden = count === 0;
  element("problems").replaceChildren(...malformed(run), ...unknown(strange));
}

function malformed(run) {
  if (!run.malformed) return [];
  const shown = run.first_malformed.map((one) =>
    make("tr", {}, make("td", {}, `${one.file.split("/").pop()}:${one.line}`), make("td", {}, one.reason), make("td", {}, make("code", {}, one.text))),
  );
  const head = make("tr", {}, ...["where", "why", "row"].map((name) => make("th", { scope: "col" }, name)));
  const more = run.malformed - shown.length;
  return [
    make("h2", {}, "Rows that could not be read"),
    make("table", {}, make("thead", {}, head), make("tbody", {}, ...shown)),
    make("p", { className: "note" }, more > 0 ? `… and ${more.toLocaleString("en")} more` : ""),
  ];
}

function unknown(names) {
  if (!names.length) return [];
  const items = names.map(([name, count]) => make("li", {}, make("code", {}, name), ` ${count.toLocaleString("en")}`));
  return [make("h2", {}, "Names that no rule knows"), make("ul", {}, ...items)];
}
