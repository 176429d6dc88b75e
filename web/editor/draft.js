// Saves the forms of the editor as one types, and shows Markdown as students will see it. Without this module there is a
// button that saves.
import { keep, send } from "./saving.js";

// What is wrong is listed at the top, and told again below each field of this page.
function tell({ problems }) {
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
      } catch { /* the next key tries again */ }
    }, 400);
  });
}

document.querySelectorAll("form[data-render]").forEach(render);
document.querySelectorAll("form[data-draft]").forEach((form) => keep(form, tell));
