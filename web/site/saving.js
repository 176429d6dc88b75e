// Saves a form automatically, a moment after the last input, and reports this in the form's `data-saved`. The server answers
// with the new `was`, or refuses with a sentence. After a refusal, nothing is sent until the next input, and nothing at all
// if somebody else has saved the same form meanwhile.
import { word } from "./words.js";

const AFTER_MS = 1200, RETRY_MS = 8000, MEANWHILE = 409, TOO_LONG = 413, WRONG = 422;

export async function send(form, address) {
  const body = new FormData(form);
  body.delete("do");
  const answer = await fetch(address, { method: "POST", body, credentials: "same-origin", redirect: "error", headers: { "X-Draft": "1" } });
  if (answer.status === TOO_LONG) throw Object.assign(new Error(word("Not saved: a text on this page is too long. Shorten it, or upload it as a file, and press the button.")), { final: true });
  if (answer.status === MEANWHILE || answer.status === WRONG) {
    const { message, problems } = await answer.json();
    throw Object.assign(new Error(message), { final: answer.status === MEANWHILE, refused: true, problems });
  }
  if (!answer.ok) throw new Error(answer.statusText);
  return answer;
}

// `told` is called with each answer, `refused` with the problems of a refusal. Returns a function that saves all unsaved
// changes, and returns whether everything is saved then.
export function keep(form, told, refused = () => {}) {
  const said = form.querySelector("[data-saved]");
  let timer = null, changed = 0, saved = 0, busy = null, stopped = false;

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
    if (stopped || saved === changed) return;
    busy = attempt();
    await busy;
    busy = null;
  }
  form.addEventListener("input", (event) => {
    if (event.target.type === "file") return;
    changed += 1;
    if (!stopped) tell(word("Not saved yet."));
    later(AFTER_MS);
  });
  form.addEventListener("submit", () => { clearTimeout(timer); stopped = true; });
  window.addEventListener("beforeunload", (event) => { if (saved !== changed && !stopped) { save(); event.preventDefault(); } });
  window.addEventListener("pageshow", () => { stopped = false; });
  // Input from before this module was loaded counts, too.
  const early = [...form.elements].filter((field) => ["text", "textarea", "checkbox", "radio"].includes(field.type)
    && (field.value !== field.defaultValue || field.checked !== field.defaultChecked));
  early.forEach((field) => field.dispatchEvent(new Event("input", { bubbles: true })));
  return async () => { await save(); return saved === changed; };
}
