// A form that was sent is not sent again by a second click. Coming back to the page allows it again.
const sent = new Set();
document.addEventListener("submit", (event) => {
  if (event.defaultPrevented || event.target.method === "get") return;
  if (sent.has(event.target)) event.preventDefault();
  sent.add(event.target);
});
window.addEventListener("pageshow", () => sent.clear());

// After a refused form what is wrong has the focus, and is in view however long it is. Without this module `autofocus`
// gives it the focus.
const found = document.querySelector("[role=alert][autofocus]");
if (found) {
  const around = found.closest("details");
  if (around) around.open = true;
  history.replaceState(null, "", location.pathname + location.search);  // a fragment, as of the skip link, takes the focus
  found.focus({ preventScroll: true });
  found.scrollIntoView({ block: found.offsetHeight < innerHeight * 0.7 ? "center" : "start" });
}
