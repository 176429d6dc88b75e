// Copies the text beside a button with data-copy, and saves the text beside a button with data-save="name" as a file.
// Without this module, the buttons are hidden. A link with data-copies copies the file to which it leads.
import { word } from "./words.js";

document.documentElement.classList.add("copies");
const region = document.getElementById("said");

const textOf = (button) => button.closest(".copied").querySelector("pre").textContent;

async function copy(button) {
  const pre = button.closest(".copied").querySelector("pre");
  try {
    await navigator.clipboard.writeText(pre.textContent);
    told(button, word("Copied"));
  } catch {  // copying is not allowed here: the text is selected, to be copied with a key
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
    location.assign(link.href);  // shows the file, to be copied by hand, or the error
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
