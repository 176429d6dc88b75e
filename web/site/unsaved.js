// For a form with one button for many fields: its bar names the fields that are not saved yet, and the browser asks before
// the visitor leaves the page. The stored value is in a field's `data-stored`; without this attribute, it is the field's
// first value. A form that was refused or only previewed has `data-unsaved="yes"`.
import { word } from "./words.js";

function watch(form) {
  const said = form.querySelector("[data-saved]");
  const fields = [...form.elements].filter((each) => each.labels?.length && each.name !== "confirm");
  const shown = new Map(fields.map((each) => [each, each.dataset.stored ?? each.value]));
  const pending = form.dataset.unsaved === "yes";
  let leaving = false;

  const unsaved = () => fields.filter((each) => each.value !== shown.get(each));
  function tell() {
    const names = unsaved().map((each) => each.labels[0].textContent.trim());
    const some = { names: names.slice(0, 3).join("; "), n: names.length - 3 };
    said.textContent = names.length > 3 ? word("Not saved yet: {names} and {n} more", some)
      : names.length ? word("Not saved yet: {names}", some) : pending ? word("Not saved yet.") : "";
    form.classList.toggle("unsaved", pending || names.length > 0);
  }
  form.addEventListener("input", tell);
  form.addEventListener("submit", () => { leaving = true; });
  window.addEventListener("beforeunload", (event) => { if (!leaving && (pending || unsaved().length)) event.preventDefault(); });
  window.addEventListener("pageshow", () => { leaving = false; tell(); });
}

document.querySelectorAll("form[data-unsaved]").forEach(watch);
