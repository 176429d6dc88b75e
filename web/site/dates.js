// Beside a field for a date and time in a course's zone, shows this time as students see it, and in the reader's zone.
import { word } from "./words.js";

const HERE = Intl.DateTimeFormat().resolvedOptions().timeZone;
const MINUTE = 60000;
const DAY = 1440 * MINUTE;
const PARTS = { year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" };
const WORDS = { weekday: "short", day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" };

// A zone's offset from UTC at an instant, in milliseconds.
function offset(at, zone) {
  const found = new Intl.DateTimeFormat("en-US", { ...PARTS, timeZone: zone, hourCycle: "h23" }).formatToParts(at);
  const part = Object.fromEntries(found.map(({ type, value }) => [type, Number(value)]));
  return Date.UTC(part.year, part.month - 1, part.day, part.hour, part.minute, part.second) - Math.floor(at / 1000) * 1000;
}

// The instants at which the clocks in a zone show a time: none if they skip it, two if they show it twice.
function instants(clock, zone) {
  const shown = Date.parse(`${clock}Z`);
  const near = new Set([offset(shown - DAY, zone), offset(shown + DAY, zone)]);
  return [...near].map((each) => shown - each).filter((at) => at + offset(at, zone) === shown).sort((a, b) => a - b);
}

function inWords(at, zone) {
  const minutes = offset(at, zone) / MINUTE;
  const [hour, minute] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60].map((each) => String(each).padStart(2, "0"));
  const clock = new Intl.DateTimeFormat(document.documentElement.lang, { ...WORDS, timeZone: zone }).format(at).replace(",", "");
  return word("{time} in {zone}", { time: `${clock} (UTC${minutes < 0 ? "-" : "+"}${hour}:${minute})`, zone });
}

function told(input) {
  const zone = input.dataset.zone;
  if (!input.value) return "";
  const found = instants(input.value, zone);
  if (!found.length) return word("The clocks in {zone} skip this time. Choose an earlier or a later time.", { zone });
  const at = found.at(-1);
  const said = [word("Students see {time}.", { time: inWords(at, zone) })];
  if (offset(at, zone) !== offset(at, HERE)) said.push(word("In your time zone, it is {time}.", { time: inWords(at, HERE) }));
  if (found.length > 1) said.push(word("This time occurs twice; the later one is used."));
  return said.join(" ");
}

function show(input) {
  const output = document.getElementById(input.dataset.told);
  try {
    output.textContent = told(input);
  } catch (error) { // this browser does not know the zone, or cannot read the value
    if (!(error instanceof RangeError)) throw error;
    output.textContent = "";
  }
}

document.querySelectorAll("[data-told]").forEach((input) => {
  input.addEventListener("input", () => show(input));
  show(input);
});
