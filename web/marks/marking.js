// Marking with the keyboard: saves the rubric while the marker types, undoes changes, and moves from student to student.
import { keep, overtaken } from "./saving.js";

const form = document.querySelector("form[data-marking]");
const rubric = [...form.querySelectorAll("[name^='rubric-']")];
const fields = [...form.elements].filter((each) => each.labels?.length && each.name);
const read = () => fields.map((each) => each.type === "checkbox" ? each.checked : each.value);
const undo = form.querySelector("[data-undo]");
const past = [];  // the formerly saved values, the latest last
let stored = read(), undone = false;

function told({ account }) {
  const holder = document.createElement("template");
  holder.innerHTML = account;
  document.querySelector("[data-account]").replaceWith(holder.content.firstElementChild);
  if (!undone) past.push(stored);
  undone = false;
  stored = read();
  undo.hidden = !past.length;
  wrong({});
}

function wrong(problems) {
  for (const note of form.querySelectorAll("[data-trouble]")) {
    const text = problems[note.dataset.trouble];
    note.textContent = text ?? "";
    note.hidden = !text;
    form.elements[note.dataset.trouble].setAttribute("aria-invalid", Boolean(text));
  }
}

let settle = null, whole = overtaken();  // whether a button sends the form
// A button only saves unsaved changes. If somebody else has saved meanwhile, it sends the form: the page then shows both.
form.addEventListener("submit", async (event) => {
  if (whole) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const next = event.submitter?.matches("[data-next]") && document.querySelector("[data-key='u']");
  if (!await settle()) {
    whole = form.querySelector("[data-saved].problem") && !form.querySelector("[aria-invalid='true']");
    if (whole) setTimeout(() => form.requestSubmit());  // within the event, it would be ignored
  } else if (next) location.assign(next.href);
});
settle = keep(form, told, wrong);

undo.addEventListener("click", () => {
  past.pop().forEach((value, at) => { fields[at][fields[at].type === "checkbox" ? "checked" : "value"] = value; });
  undone = true;
  form.dispatchEvent(new Event("input", { bubbles: true }));
  settle();
});

async function leave(href) {
  if (await settle() || whole) location.assign(href);
}
for (const link of document.querySelectorAll("[data-leave] a")) {
  link.addEventListener("click", (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    leave(link.href);
  });
}

const keys = form.querySelector("[data-keys]");
try {
  keys.checked = localStorage.getItem("marking-keys") !== "off";
  keys.addEventListener("change", () => localStorage.setItem("marking-keys", keys.checked ? "on" : "off"));
} catch { /* this browser allows no storage */ }

const number = (at) => { rubric[at]?.focus(); rubric[at]?.select(); };
const DOES = {
  r: () => form.elements.remark.focus(),
  c: () => document.getElementById("comment-line")?.focus(),
};
for (const link of document.querySelectorAll("[data-key]")) DOES[link.dataset.key] = () => leave(link.href);
for (let at = 0; at < 9; at += 1) DOES[at + 1] = () => number(at);

document.addEventListener("keydown", (event) => {
  const { target, key } = event, inRubric = rubric.includes(target);
  if (key === "Enter" && (event.ctrlKey || event.metaKey) && form.contains(target)) {
    event.preventDefault();
    form.requestSubmit(form.querySelector("[data-next]") ?? form.querySelector("button.main"));
  } else if (key === "Enter" && inRubric) {
    event.preventDefault();
    (rubric[rubric.indexOf(target) + 1] ?? form.elements.remark).focus();
  } else if (keys.checked && !event.ctrlKey && !event.metaKey && !event.altKey) {
    const typing = target.matches?.("input:not([type='checkbox']), textarea, select, [contenteditable]");
    if (!DOES[key] || (typing && (!inRubric || /[0-9]/.test(key)))) return;
    event.preventDefault();
    DOES[key]();
  }
});
