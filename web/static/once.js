// A form that was sent is not sent again by a second click. Coming back to the page allows it again.
const sent = new Set();
document.addEventListener("submit", (event) => {
  if (event.defaultPrevented || event.target.method === "get") return;
  if (sent.has(event.target)) event.preventDefault();
  sent.add(event.target);
});
window.addEventListener("pageshow", () => sent.clear());
