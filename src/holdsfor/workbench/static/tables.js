// A table of a run that may be long: the server sorts and filters all rows, the page shows some of them at a time.
import { ask, cell, download, make, request, say } from "/static/talk.js";

const PAGE = 200;
const PAUSE = 200;
const counted = (count) => count.toLocaleString("en");

export class Table {
  // `what` the rows are, in words; `choose` is told question and time of a row.
  constructor(panel, { table, what, none, choose }) {
    Object.assign(this, { panel, table, what, none, choose });
    this.run = null;
    this.view = { search: "", sort: "", descending: false, offset: 0 };
    this.asked = 0;
  }

  show(run) {
    if (run === this.run) return;
    if (this.run === null) this.build();
    this.run = run;
    this.view.offset = 0;
    this.load();
  }

  build() {
    const { what } = this;
    this.search = make("input", { type: "search", placeholder: `filter ${what}`, autocomplete: "off", "aria-label": `Filter ${what}` });
    let waiting = 0;
    this.search.oninput = () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => this.look({ search: this.search.value, offset: 0 }), PAUSE);
    };
    this.count = make("span", { className: "note", role: "status" });
    const exports = ["csv", "json"].map((format) => {
      const button = make("button", { className: "small", title: `All ${what} that are shown, as a file` }, format.toUpperCase());
      button.setAttribute("aria-label", `Export as ${format.toUpperCase()}`);
      button.onclick = () => this.export(format);
      return button;
    });
    this.before = make("button", { className: "small" }, "Previous");
    this.after = make("button", { className: "small" }, "Next");
    this.before.onclick = () => this.look({ offset: Math.max(0, this.view.offset - PAGE) });
    this.after.onclick = () => this.look({ offset: this.view.offset + PAGE });
    this.pages = make("div", { className: "pages" }, this.before, this.after);
    this.body = make("div", { className: "rows", tabIndex: 0, role: "region", "aria-label": `Table of ${what}` });
    const bar = make("div", { className: "bar" }, this.search, this.count, this.pages, make("span", { className: "exports" }, ...exports));
    this.panel.replaceChildren(bar, this.body);
  }

  look(change) {
    Object.assign(this.view, change);
    return this.load();
  }

  async load(focused = "") {
    const mine = ++this.asked;
    try {
      const found = await ask("/api/rows", { run: this.run, table: this.table, ...this.view, limit: PAGE });
      if (mine === this.asked) this.fill(found, focused);
    } catch (problem) {
      say(problem.message, true);
    }
  }

  fill(found, focused) {
    const { offset } = this.view;
    const [first, last] = [offset + 1, offset + found.rows.length];
    const range = found.matching > PAGE ? `${counted(first)}–${counted(last)} of ` : "";
    const all = found.matching < found.total ? `, of ${counted(found.total)} in all` : "";
    this.count.textContent = `${range}${counted(found.matching)} ${this.what}${all}`;
    this.pages.hidden = found.matching <= PAGE;
    this.before.disabled = offset === 0;
    this.after.disabled = last >= found.matching;
    const head = make("tr", {}, ...found.columns.map((name) => this.heading(name)));
    const rows = found.rows.map((row) => this.row(row));
    const table = make("table", {}, make("caption", {}, `The ${this.what}`), make("thead", {}, head), make("tbody", {}, ...rows));
    const note = found.total ? (found.matching ? "" : `No ${this.what} match the filter.`) : this.none;
    this.body.replaceChildren(table, make("p", { className: "empty" }, note));
    this.body.scrollTop = 0;
    if (focused) head.querySelector(`button[data-name="${CSS.escape(focused)}"]`)?.focus();
  }

  heading(name) {
    const isSorted = this.view.sort === name;
    const arrow = isSorted ? (this.view.descending ? " ↓" : " ↑") : "";
    const button = make("button", { title: `Sort by ${name}` }, name, make("span", { "aria-hidden": "true" }, arrow));
    button.dataset.name = name;
    button.onclick = () => {
      // Up, down, and as it was.
      const next = !isSorted ? { sort: name, descending: false } : this.view.descending ? { sort: "", descending: false } : { descending: true };
      Object.assign(this.view, next, { offset: 0 });
      this.load(name);
    };
    const made = make("th", { scope: "col" }, button);
    if (isSorted) made.setAttribute("aria-sort", this.view.descending ? "descending" : "ascending");
    return made;
  }

  row({ cells, question, at }) {
    const line = make("tr", { className: "ask", tabIndex: 0 }, ...cells.map(cell));
    line.title = "Why?";
    line.onclick = () => this.choose(question, at);
    line.onkeydown = (event) => {
      if (event.key === "Enter" || event.key === " ") line.click();
      else if (event.key === "ArrowDown") line.nextElementSibling?.focus();
      else if (event.key === "ArrowUp") line.previousElementSibling?.focus();
      else return;
      event.preventDefault();
    };
    return line;
  }

  async export(format) {
    const { search, sort, descending } = this.view;
    try {
      const answer = await request("/api/export", { run: this.run, table: this.table, search, sort, descending, format });
      download(`${this.what}.${format}`, await answer.blob());
      say(`exported ${this.what}.${format}`);
    } catch (problem) {
      say(problem.message, true);
    }
  }
}
