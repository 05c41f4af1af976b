// Questions: why does it hold, or why not.
const element = (id) => document.getElementById(id);
let ask = null;

export function setUpWhy(asking) {
  ask = asking;
  element("ask").onsubmit = (event) => {
    event.preventDefault();
    answer();
  };
  element("close-why").onclick = () => (element("why").hidden = true);
}

export function askWhy(question, at) {
  element("why").hidden = false;
  element("question").value = question;
  element("at").value = at;
  answer();
}

async function answer() {
  const box = element("answer");
  try {
    const found = await ask("/api/explain", { question: element("question").value, at: element("at").value });
    box.innerHTML = found.html; // made by the server of escaped text
  } catch (problem) {
    const text = document.createElement("pre");
    text.textContent = problem.message;
    box.replaceChildren(text);
  }
}
