// Copies what stands before a button with data-copy, and saves it as a file for a button with data-save="name". The
// buttons are not there without this module. A link with data-copies copies the file to which it leads.
import { word } from "./words.js";

document.documentElement.classList.add("copies");
const region = document.getElementById("said");

const textOf = (button) => button.closest(".copied").querySelector("pre").textContent;

async function copy(button) {
  const pre = button.closest(".copied").querySelector("pre");
  try {
    await navigator.clipboard.writeText(pre.textContent);
    told(button, word("Copied"));
  } catch {  // not allowed here: it is selected, so that a key copies it
    getSelection().selectAllChildren(pre);
    told(button, word("Selected"));
  }
}

async function copyFile(link) {
  try {
    const answer = await fetch(link.href, { credentials: "same-origin" });
    if (!answer.ok) throw new Error(answer.statusText);
    await navigator.clipboard.writeText(await answer.text());
    told(link, word("Copied"));
  } catch {
    location.assign(link.href);  // it is shown, to be copied by hand; or why it is not there
  }
}

function save(button) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([textOf(button)], { type: "text/plain" }));
  link.download = button.dataset.save;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function told(button, text) {
  const [label] = button.childNodes, before = label.data;
  region.textContent = text;
  if (before === text) return;
  label.data = text;
  setTimeout(() => { label.data = before; }, 1500);
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy], [data-save]");
  const file = event.target.closest("a[data-copies]");
  if (file && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
    event.preventDefault();
    copyFile(file);
  }
  if (button) (button.dataset.save ? save : copy)(button);
});
