// Converts every <time datetime> to the reader's own zone, and adds the time in the course's zone if it differs, and how
// long ago it was. Turns every [data-seconds] into a countdown. An observer finds fragments that are added later.
import { word } from "./words.js";

const LANGUAGE = document.documentElement.lang || "en-GB";
const full = new Intl.DateTimeFormat(LANGUAGE, { dateStyle: "full", timeStyle: "medium" });
const exact = new Intl.DateTimeFormat(LANGUAGE, { dateStyle: "medium", timeStyle: "short" });
const thisYear = new Intl.DateTimeFormat(LANGUAGE, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
const zoneName = new Intl.DateTimeFormat(LANGUAGE, { timeZoneName: "short" });
const relative = new Intl.RelativeTimeFormat(LANGUAGE, { numeric: "auto", style: "short" });
const STEPS = [[86400, "day"], [3600, "hour"], [60, "minute"], [1, "second"]];

function ago(seconds) {
  const [length, unit] = STEPS.find(([size]) => Math.abs(seconds) >= size) ?? STEPS.at(-1);
  return relative.format(Math.trunc(seconds / length), unit);
}

function left(seconds) {
  const minutes = Math.floor(seconds / 60);
  return minutes ? `${minutes} min ${String(seconds % 60).padStart(2, "0")} s` : `${seconds} s`;
}

// The time in the course's zone, as the server wrote it, without the day if the day here is the same. "" if the clock here
// shows the same time, and for times that belong to no course, which the server marks with Z.
function inCourse(node, at) {
  const [, sign, hours, minutes] = node.dateTime.match(/([+-])(\d\d):(\d\d)$/) ?? [];
  if (!sign || Number(`${sign}${hours * 60 + Number(minutes)}`) === -at.getTimezoneOffset()) return "";
  const here = new Date(at - at.getTimezoneOffset() * 60000).toISOString();
  const [, day, time] = node.written.match(/^\D*(\d.*?) \d{4}, (\d\d:\d\d \S+)/) ?? [];
  if (!time) return node.written;  // the date has another order of day and year
  return here.slice(0, 10) === node.dateTime.slice(0, 10) ? time : `${day}, ${time}`;
}

function showTime(node) {
  node.written ??= node.textContent;
  const at = new Date(node.dateTime);
  const style = at.getFullYear() === new Date().getFullYear() ? thisYear : exact;
  const seconds = (at - Date.now()) / 1000;
  const course = inCourse(node, at);
  const name = course && ` ${zoneName.formatToParts(at).find(({ type }) => type === "timeZoneName").value}`;
  const more = [course, Math.abs(seconds) < 86400 * 30 ? ago(seconds) : ""].filter(Boolean);
  const words = more.map((each) => each.replaceAll(" ", "\u00a0")).join(", ");
  node.title = course ? word("{here}; in the course’s time zone: {there}", { here: full.format(at), there: node.written }) : full.format(at);
  node.textContent = (style.format(at) + name).replaceAll(" ", "\u00a0") + (words && ` (${words})`);
}

// The server sends the number of seconds left, so that a wrong clock on this computer does no harm.
function showCountdown(node) {
  node.ends ??= performance.now() + Number(node.dataset.seconds) * 1000;
  const seconds = Math.max(0, Math.ceil((node.ends - performance.now()) / 1000));
  node.textContent = left(seconds);
  if (seconds === 0 && !node.over) {
    node.over = true;
    node.dispatchEvent(new CustomEvent("countdown-over", { bubbles: true }));
  }
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
showTimes();
showCountdowns();
setInterval(showTimes, 20000);
setInterval(showCountdowns, 1000);
