// Prevents a second click from sending a form again, until the visitor comes back to the page.
const sent = new Set();
document.addEventListener("submit", (event) => {
  if (event.defaultPrevented || event.target.method === "get") return;
  if (sent.has(event.target)) event.preventDefault();
  sent.add(event.target);
});
window.addEventListener("pageshow", () => sent.clear());

// After a form was refused, focuses the list of problems or the first wrong field, and scrolls it into view, however long
// it is. Without this module, `autofocus` focuses it.
const found = document.querySelector("[role=alert][autofocus], [aria-invalid=true][autofocus]");
if (found) {
  const around = found.closest("details");
  if (around) around.open = true;
  history.replaceState(null, "", location.pathname + location.search);  // otherwise a fragment would take the focus
  found.focus({ preventScroll: true });
  found.scrollIntoView({ block: found.offsetHeight < innerHeight * 0.7 ? "center" : "start" });
}

// The text of an upload is kept in this tab until the next page after a sign-in, in case the session had ended
// (`upload.js`). The sign-in page, and each further step of a sign-in, has a field with the page to which it leads.
if (!document.querySelector("input[name=next]")) window.addEventListener("load", () => sessionStorage.removeItem("unsent"));

// Closes the menu of a small screen once the focus has left it; otherwise, it would cover what has the focus.
const menu = document.getElementById("menu");
document.addEventListener("focusin", ({ target }) => {
  if (menu?.matches(":popover-open") && !menu.contains(target) && !target.matches("[popovertarget]")) menu.hidePopover();
});
