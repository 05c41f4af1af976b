// A stream that runs elsewhere: situations open and close as it writes them down.
const element = (id) => document.getElementById(id);
const MOST = 500;
const meters = new Map();
const open = new Map();

export function follow() {
  const source = new EventSource("/api/live");
  meter("stream", "waiting");
  source.onmessage = (event) => {
    const news = JSON.parse(event.data);
    meter("stream", "running");
    if (news.kind === "report") report(news);
    else changes(news);
  };
  source.onerror = () => meter("stream", "connection lost, trying again");
}

function report(news) {
  const seconds = news.milliseconds / 1000;
  meter("batch", news.batch);
  meter("query time", news.query_time ?? "–");
  meter("events a second", seconds ? Math.round(news.events / seconds).toLocaleString() : "–");
  meter("late", total("late", news.late));
  meter("malformed", total("malformed", news.malformed));
}

const totals = new Map();
function total(name, more) {
  totals.set(name, (totals.get(name) ?? 0) + (more ?? 0));
  return totals.get(name).toLocaleString();
}

function changes(news) {
  meter("changes", total("changes", news.count));
  const rows = news.rows.map((row) => {
    if (row.op === "retract" || row.end !== null) open.delete(row.id);
    else open.set(row.id, row);
    const line = document.createElement("tr");
    const cells = [row.query_time, row.op, `${row.fluent}=${row.value}`, row.start ?? "-inf", row.end ?? "still"];
    for (const text of cells) line.insertCell().textContent = String(text);
    line.cells[1].className = `op-${row.op}`;
    return line;
  });
  meter("open now", open.size.toLocaleString());
  const feed = element("feed");
  feed.prepend(...rows.reverse());
  while (feed.rows.length > MOST) feed.deleteRow(-1);
}

function meter(name, value) {
  if (!meters.has(name)) {
    const box = document.createElement("div");
    const [term, detail] = [document.createElement("dt"), document.createElement("dd")];
    term.textContent = name;
    box.append(term, detail);
    element("meters").append(box);
    meters.set(name, detail);
  }
  meters.get(name).textContent = String(value);
}
