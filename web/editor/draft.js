// Saves the editor's forms while the author types, and shows Markdown as students will see it. Without this module, the
// forms have a button for saving.
import { keep, send } from "./saving.js";

// Lists all problems at the top of the page, and repeats those of this page's fields below the fields. Removes when the
// draft was last saved, which is no longer true; the form says “Saved.” now.
function tell({ problems }) {
  document.querySelector("[data-draft-state]")?.remove();
  const list = document.querySelector("[data-problems]");
  list.innerHTML = problems;
  for (const note of document.querySelectorAll("[data-trouble]")) {
    const own = [...list.querySelectorAll("li")].filter((item) => item.dataset.field === note.dataset.trouble
      && new URL(item.querySelector("a").href).pathname === location.pathname);
    note.textContent = own.map((item) => item.textContent).join(" ");
    note.hidden = !own.length;
  }
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
      } catch { /* the next input tries again */ }
    }, 400);
  });
}

document.querySelectorAll("form[data-render]").forEach(render);
document.querySelectorAll("form[data-draft]").forEach((form) => keep(form, tell));
