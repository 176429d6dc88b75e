// Turns every <time datetime> into the reader's own zone with how long ago it is, and every [data-seconds] into
// a countdown. Fragments that arrive later are found by an observer.
const full = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "medium" });
const exact = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });
const thisYear = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
const local = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "short" });
const relative = new Intl.RelativeTimeFormat("en-GB", { numeric: "auto", style: "short" });
const STEPS = [[86400, "day"], [3600, "hour"], [60, "minute"], [1, "second"]];

function ago(seconds) {
  const [length, unit] = STEPS.find(([size]) => Math.abs(seconds) >= size) ?? STEPS.at(-1);
  return relative.format(Math.trunc(seconds / length), unit);
}

function left(seconds) {
  const minutes = Math.floor(seconds / 60);
  return minutes ? `${minutes} min ${String(seconds % 60).padStart(2, "0")} s` : `${seconds} s`;
}

function showTime(node) {
  const at = new Date(node.dateTime);
  const style = at.getFullYear() === new Date().getFullYear() ? thisYear : exact;
  const seconds = (at - Date.now()) / 1000;
  const words = Math.abs(seconds) < 86400 * 30 ? ` (${ago(seconds).replaceAll(" ", "\u00a0")})` : "";
  node.title = full.format(at);
  node.textContent = style.format(at).replaceAll(" ", "\u00a0") + words;
}

// The server says how many seconds are left, so that a wrong clock on this side does no harm.
function showCountdown(node) {
  node.ends ??= performance.now() + Number(node.dataset.seconds) * 1000;
  const seconds = Math.max(0, Math.ceil((node.ends - performance.now()) / 1000));
  node.textContent = left(seconds);
  if (seconds === 0 && !node.over) {
    node.over = true;
    node.dispatchEvent(new CustomEvent("countdown-over", { bubbles: true }));
  }
}

// Beside a field for a time in UTC: the same time in the zone of the reader.
function showLocal(input) {
  const at = new Date(`${input.value.trim().replace(" ", "T")}Z`);
  const where = Intl.DateTimeFormat().resolvedOptions().timeZone;
  document.getElementById(input.dataset.utc).textContent = isNaN(at) ? "" : `That is ${local.format(at)} in ${where}.`;
}

const showTimes = () => document.querySelectorAll("time[datetime]").forEach(showTime);
const showCountdowns = () => document.querySelectorAll("[data-seconds]").forEach(showCountdown);

document.addEventListener("countdown-over", (event) => {
  const scope = event.target.closest("[data-excluded]");
  scope?.querySelectorAll("[data-when-over]").forEach((node) => { node.hidden = false; });
  scope?.querySelectorAll("[data-when-excluded]").forEach((node) => { node.hidden = true; });
  scope?.querySelectorAll(":disabled").forEach((node) => { node.disabled = false; });
});
new MutationObserver((changes) => {
  if (changes.some((change) => [...change.addedNodes].some((node) => node.nodeType === 1))) { showTimes(); showCountdowns(); }
}).observe(document.body, { childList: true, subtree: true });
document.querySelectorAll("[data-utc]").forEach((input) => {
  input.addEventListener("input", () => showLocal(input));
  showLocal(input);
});
showTimes();
showCountdowns();
setInterval(showTimes, 20000);
setInterval(showCountdowns, 1000);
