// The workbench: an editor on the left, what the rules make of the sample on the right, and why below it.
import { ask, element, hasToken, home, make, say, setUpTabs, wanted, workOn } from "/static/talk.js";
import { agreed, setUpGallery, showGallery } from "/static/gallery.js";
import { onChecked, setUpRules } from "/static/rules.js";
import { options, run, runNumber, setUpResults, showGraph, showPictures, tellStale } from "/static/results.js";
import { setUpWhy } from "/static/why.js";
import { follow } from "/static/live.js";

function choose(tab) {
  for (const one of element("results").querySelectorAll("[role=tab]")) {
    const isChosen = one === tab;
    one.ariaSelected = String(isChosen);
    one.tabIndex = isChosen ? 0 : -1;
    element(one.getAttribute("aria-controls")).hidden = !isChosen;
  }
  element("with-input").classList.toggle("away", !["tab-timeline", "tab-graph"].includes(tab.id));
  tab.focus();
  showPictures();
}

async function begin() {
  const then = wanted ? ", then this one again" : "";
  if (!hasToken) return say(`open the page by the address that was printed, which ends in the token${then}`, true);
  let desk;
  try {
    if (!(await openWanted())) return home();
    desk = await ask("/api/desk", undefined, "GET");
  } catch (problem) {
    return say(problem.message, true);
  }
  tellBench(desk);
  setUpGallery(options);
  setUpTabs(element("results"), choose);
  setUpResults(desk);
  setUpWhy(runNumber);
  onChecked(() => {
    tellStale();
    showGraph();
  });
  setUpRules(desk, [{ key: "Mod-Enter", run: () => (run(), true) }]);
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "Enter" && !event.defaultPrevented) run();
  });
  if (desk.live) {
    element("tab-live").hidden = false;
    choose(element("tab-live"));
    follow(desk.live);
  }
  if (desk.events.length || desk.is_metric) await run();
  else if (desk.may_save && !desk.live) say("no events were given: start with --events FILE to run the rules");
  // Somebody who has brought no files looks for something to begin with.
  if (!desk.may_save && !desk.events.length && !wanted) showGallery();
}

// An example, or what a link brings, instead of the files that the server was started with.
async function openWanted() {
  if (wanted?.kind === "example") workOn((await ask("/api/example", { name: wanted.value })).bench);
  if (wanted?.kind === "share") {
    if (!(await agreed(wanted.value))) return false;
    workOn((await ask("/api/open", { share: wanted.value })).bench);
  }
  return true;
}

function tellBench(desk) {
  if (!wanted) return;
  const back = make("button", { className: "small" }, "Back to where the page began");
  back.onclick = home;
  element("bench").replaceChildren(`${desk.title}. Changes are not saved. `, back);
  element("bench").hidden = false;
}

await begin();
document.documentElement.dataset.ready = "true";
