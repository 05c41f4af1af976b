// The workbench: an editor on the left, what the rules make of the sample on the right, and why below it.
import { ask, element, hasToken, say, setUpTabs } from "/static/talk.js";
import { onChecked, setUpRules } from "/static/rules.js";
import { run, runNumber, setUpResults, showGraph, showPictures, tellStale } from "/static/results.js";
import { setUpWhy } from "/static/why.js";
import { follow } from "/static/live.js";

function choose(tab) {
  for (const one of element("results").querySelectorAll("[role=tab]")) {
    const isChosen = one === tab;
    one.ariaSelected = String(isChosen);
    one.tabIndex = isChosen ? 0 : -1;
    element(one.getAttribute("aria-controls")).hidden = !isChosen;
  }
  element("with-input").classList.toggle("away", tab.id !== "tab-timeline");
  tab.focus();
  showPictures();
}

async function begin() {
  if (!hasToken) return say("open the page by the address that was printed: it ends in the token", true);
  let desk;
  try {
    desk = await ask("/api/desk", undefined, "GET");
  } catch (problem) {
    return say(problem.message, true);
  }
  setUpTabs(element("results"), choose);
  setUpResults(desk);
  setUpWhy(runNumber);
  onChecked(() => {
    tellStale();
    showGraph();
  });
  setUpRules(desk.files, [{ key: "Mod-Enter", run: () => (run(), true) }]);
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "Enter" && !event.defaultPrevented) run();
  });
  if (desk.live) {
    element("tab-live").hidden = false;
    choose(element("tab-live"));
    follow(desk.live);
  }
  if (desk.events.length || desk.is_metric) await run();
  else if (!desk.live) say("no events were given: start with --events FILE to run the rules");
}

await begin();
document.documentElement.dataset.ready = "true";
