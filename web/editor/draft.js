// Saves the forms of the editor as one types, a moment after the last key, and shows Markdown as students will see it.
// Without this module there is a button that saves. If somebody else has changed the same part, it stops and says so.
import { word } from "./words.js";

const AFTER_MS = 1200, RETRY_MS = 8000;

async function send(form, address) {
  const body = new FormData(form);
  body.delete("do");
  const answer = await fetch(address, { method: "POST", body, credentials: "same-origin", redirect: "error", headers: { "X-Draft": "1" } });
  if (answer.status === 409) throw Object.assign(new Error((await answer.json()).message), { final: true });
  if (answer.status === 413) throw Object.assign(new Error(word("Not saved: a text on this page is too long. Shorten it, or upload it as a file, and press the button.")), { final: true });
  if (!answer.ok) throw new Error(answer.statusText);
  return answer;
}

// What is wrong is listed at the top, and told again below each field of this page.
function tell(problems) {
  const list = document.querySelector("[data-problems]");
  list.innerHTML = problems;
  for (const note of document.querySelectorAll("[data-trouble]")) {
    const own = [...list.querySelectorAll("li")].filter((item) => item.dataset.field === note.dataset.trouble
      && new URL(item.querySelector("a").href).pathname === location.pathname);
    note.textContent = own.map((item) => item.textContent).join(" ");
    note.hidden = !own.length;
  }
}

function keep(form) {
  const said = form.querySelector("[data-saved]");
  let timer = null, changed = 0, saved = 0, busy = false, stopped = false;

  const later = (ms) => { clearTimeout(timer); timer = setTimeout(save, ms); };
  async function save() {
    if (busy || stopped || saved === changed) return;
    busy = true;
    const sending = changed;
    said.textContent = word("Saving …");
    try {
      const { was, problems } = await (await send(form, form.action)).json();
      form.elements.was.value = was;
      tell(problems);
      saved = sending;
      said.textContent = saved === changed ? word("Saved.") : word("Saving …");
      if (saved !== changed) later(AFTER_MS);
    } catch (error) {
      stopped = Boolean(error.final);
      said.textContent = stopped ? error.message : word("Not saved yet: the server could not be reached. It is tried again.");
      said.classList.toggle("problem", stopped);
      if (!stopped) later(RETRY_MS);
    }
    busy = false;
  }
  form.addEventListener("input", (event) => {
    if (event.target.type === "file") return;
    changed += 1;
    said.textContent = stopped ? said.textContent : word("Not saved yet.");
    later(AFTER_MS);
  });
  form.addEventListener("submit", () => { clearTimeout(timer); stopped = true; });
  window.addEventListener("beforeunload", (event) => { if (saved !== changed && !stopped) { save(); event.preventDefault(); } });
  window.addEventListener("pageshow", () => { stopped = false; });
}

function render(form) {
  const text = form.elements.text;
  let timer = null;
  text.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(async () => {
      try {
        const holder = document.createElement("template");
        holder.innerHTML = await (await send(form, form.dataset.render)).text();
        document.querySelector("[data-rendered]").replaceWith(holder.content.firstElementChild);
      } catch { /* the next key tries again */ }
    }, 400);
  });
}

document.querySelectorAll("form[data-draft]").forEach(keep);
document.querySelectorAll("form[data-render]").forEach(render);
