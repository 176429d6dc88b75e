// Saves a form automatically, a moment after the last input, and reports this in the form's `data-saved`. The server answers
// with the new `was`, or refuses with a sentence. After a refusal, nothing is sent until the next input. If somebody else has
// saved the same form meanwhile, nothing is sent until the visitor presses the button; a page that reports this conflict has
// `data-overtaken`.
import { word } from "./words.js";

const AFTER_MS = 1200, RETRY_MS = 8000, MEANWHILE = 409, TOO_LONG = 413, WRONG = 422;

export async function send(form, address) {
  const body = new FormData(form);
  body.delete("do");
  const answer = await fetch(address, { method: "POST", body, credentials: "same-origin", redirect: "error", headers: { "X-Draft": "1" } });
  if (answer.status === TOO_LONG) throw Object.assign(new Error(word("Not saved: a text on this page is too long. Shorten it or upload it as a file, then press the button again.")), { final: true });
  if (answer.status === MEANWHILE || answer.status === WRONG) {
    const { message, problems } = await answer.json();
    throw Object.assign(new Error(message), { final: answer.status === MEANWHILE, refused: true, problems });
  }
  if (!answer.ok) throw new Error(answer.statusText);
  return answer;
}

// Whether the page shows that somebody else has saved the same form.
export const overtaken = () => document.querySelector("[data-overtaken]") !== null;

// Whether the visitor has changed a field, perhaps before this module was loaded.
function edited(field) {
  if (field.type === "checkbox" || field.type === "radio") return field.checked !== field.defaultChecked;
  if (field.type === "select-one") {
    const { options } = field;
    return options[field.selectedIndex] !== ([...options].findLast((each) => each.defaultSelected) ?? options[0]);
  }
  return ["text", "textarea"].includes(field.type) && field.value !== field.defaultValue;
}

// `told` is called with each answer, `refused` with the problems of a refusal. Returns a function that saves all unsaved
// changes, and returns whether everything is saved then.
export function keep(form, told, refused = () => {}) {
  const said = form.querySelector("[data-saved]");
  let timer = null, changed = 0, saved = 0, busy = null, stopped = overtaken(), leaving = false;

  const later = (ms) => { clearTimeout(timer); timer = setTimeout(save, ms); };
  const tell = (text, wrong = false) => { said.textContent = text; said.classList.toggle("problem", wrong); };
  async function attempt() {
    const sending = changed;
    tell(word("Saving …"));
    try {
      const answer = await (await send(form, form.action)).json();
      form.elements.was.value = answer.was;
      saved = sending;
      told(answer);
      tell(saved === changed ? word("Saved.") : word("Saving …"));
      if (saved !== changed) later(AFTER_MS);
    } catch (error) {
      stopped = Boolean(error.final);
      tell(error.final || error.refused ? error.message : word("Not saved yet: the server could not be reached. It will be tried again."), Boolean(error.final || error.refused));
      if (error.refused) refused(error.problems ?? {});
      else if (!stopped) later(RETRY_MS);
    }
  }
  async function save() {
    clearTimeout(timer);
    await busy;
    if (stopped || leaving || saved === changed) return;
    busy = attempt();
    await busy;
    busy = null;
  }
  form.addEventListener("input", (event) => {
    if (event.target.type === "file" || (event.target !== form && !event.target.name)) return;
    changed += 1;
    if (stopped) return;
    tell(word("Not saved yet."));
    later(AFTER_MS);
  });
  form.addEventListener("submit", () => { clearTimeout(timer); leaving = true; });
  window.addEventListener("beforeunload", (event) => { if (saved !== changed && !leaving) { save(); event.preventDefault(); } });
  window.addEventListener("pageshow", () => { leaving = false; });
  form.autocomplete = "off";  // fields that the browser fills in again are not input
  if (stopped) {
    changed = 1;
    tell(word("Not saved yet."));
  }
  [...form.elements].filter(edited).forEach((field) => field.dispatchEvent(new Event("input", { bubbles: true })));
  return async () => { await save(); return saved === changed; };
}
