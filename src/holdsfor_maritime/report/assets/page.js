"use strict";
// One vessel is shown at a time. The address remembers which, so that a link leads to it.
const choice = document.querySelector(".choose select");
const pictures = new Map([...document.querySelectorAll(".vessel")].map((one) => [one.dataset.vessel, one]));

function show(vessel) {
  for (const [name, picture] of pictures) picture.hidden = name !== vessel;
  choice.value = vessel;
  history.replaceState(null, "", "#" + vessel);
}

if (choice && pictures.size) {
  choice.addEventListener("change", () => show(choice.value));
  for (const button of document.querySelectorAll(".choose button")) {
    button.addEventListener("click", () => {
      const count = choice.options.length;
      const next = (choice.selectedIndex + Number(button.dataset.step) + count) % count;
      show(choice.options[next].value);
    });
  }
  const wanted = location.hash.slice(1);
  if (pictures.has(wanted)) show(wanted);
}
for (const link of document.querySelectorAll("a[data-vessel]")) {
  link.addEventListener("click", (event) => {
    event.preventDefault();
    show(link.dataset.vessel);
    document.getElementById("vessels").scrollIntoView({ behavior: "smooth" });
  });
}
