// Makes the upload box accept a dropped or pasted file and pasted text, and says at once if the upload would be refused.
// Without this module it is a plain form.
import { kib, word } from "./words.js";

const form = document.querySelector("form[data-upload]");
const zone = form.querySelector(".drop");
const file = form.querySelector("input[type=file]");
const text = form.querySelector("textarea");
const status = form.querySelector("[data-chosen]");
const limit = Number(form.dataset.limit);

let unsent = null;
try {
  unsent = JSON.parse(sessionStorage.getItem("unsent"));  // `once.js` removes it on each page except the sign-in page
} catch { /* this browser allows no storage */ }
if (unsent?.text && unsent.by === form.dataset.by && unsent.to === form.action && !text.value) {
  form.querySelector("details").open = true;
  text.value = unsent.text;
}

function trouble(name, size) {
  if (size === 0) return word("{name} is empty.", { name });
  if (size > limit) return word("{name} is {size}; the limit is {limit}.", { name, size: kib(size), limit: kib(limit) });
  return "";
}

function show() {
  const chosen = file.files[0];
  const pasted = new Blob([text.value]).size;
  const [name, size] = chosen ? [chosen.name, chosen.size] : [word("The pasted text"), pasted];
  const bad = chosen || pasted ? trouble(name, size) : "";
  const nothing = word("Choose a file, drop it, or paste the text of your player.");
  status.textContent = bad || (chosen || pasted ? word("{name}, {size}, is ready to upload.", { name, size: kib(size) }) : "");
  status.className = bad ? "problem" : "quiet";
  file.setCustomValidity(chosen || pasted ? bad : nothing);
}

function take(files) {
  if (!files.length) return;
  const first = new DataTransfer();
  first.items.add(files[0]);
  file.files = first.files;
  text.value = "";
  show();
}

for (const kind of ["dragenter", "dragover"]) {
  zone.addEventListener(kind, (event) => { event.preventDefault(); zone.classList.add("over"); });
}
for (const kind of ["dragleave", "drop"]) {
  zone.addEventListener(kind, () => zone.classList.remove("over"));
}
zone.addEventListener("drop", (event) => { event.preventDefault(); take(event.dataTransfer.files); });
for (const kind of ["dragover", "drop"]) {  // a file dropped beside the box must not replace the page
  window.addEventListener(kind, (event) => event.preventDefault());
}
document.addEventListener("paste", (event) => {
  if (event.clipboardData.files.length) {
    event.preventDefault();
    take(event.clipboardData.files);
  } else if (!event.target.closest?.("input, textarea")) {
    form.querySelector("details").open = true;
    text.value = event.clipboardData.getData("text");
    file.value = "";
    show();
  }
});
file.addEventListener("change", () => { if (file.files.length) text.value = ""; show(); });
text.addEventListener("input", () => { if (text.value) file.value = ""; show(); });
form.addEventListener("submit", () => {
  try {
    sessionStorage.setItem("unsent", JSON.stringify({ by: form.dataset.by, to: form.action, text: text.value }));
  } catch { /* the browser stores nothing, or the text is too long */ }
  const button = form.querySelector("button.main");
  setTimeout(() => { button.disabled = true; button.textContent = word("Uploading …"); });
});
window.addEventListener("pageshow", () => {  // also when the visitor comes back to the page
  const button = form.querySelector("button.main");
  button.disabled = false;
  button.textContent = button.dataset.label;
  show();
});
