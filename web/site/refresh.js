// Keeps a part of the page up to date: an element with data-refresh="address" data-every="ms" is replaced at this interval
// by the answer from the address, until an answer has no data-refresh. If an answer has data-reload, more of the page has
// changed, and the whole page is reloaded. No requests are sent while the page is hidden.
// Screen readers read out the text of elements with data-say whenever it changes.
import { word } from "./words.js";

const LOST = word("This part of the page could not be updated, so it may be out of date. This page keeps trying automatically; if that does not help, reload it.");
const region = document.getElementById("said");  // on every page from the start, since only then are its changes read out
const say = (text) => { region.textContent = text; };
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const slower = (unchanged) => Math.min(1 + unchanged / 4, 3);  // after answers without changes, ask less often
const visible = () => document.hidden
  ? new Promise((done) => document.addEventListener("visibilitychange", done, { once: true }))
  : Promise.resolve();

async function load(address, tag) {
  const headers = tag ? { "If-None-Match": tag } : {};
  const answer = await fetch(address, { headers, credentials: "same-origin", redirect: "error", cache: "no-store" });
  if (answer.status === 304) return null;
  if (!answer.ok) throw new Error(answer.statusText);
  const holder = document.createElement("template");
  holder.innerHTML = await answer.text();
  return { part: holder.content.firstElementChild, tag: answer.headers.get("ETag") };
}

const said = (part) => [...part.querySelectorAll("[data-say]")].map((node) => node.textContent.trim()).join(". ");

const served = new WeakMap();  // for each `details`, whether the server sent it opened
const folded = (part) => [...part.querySelectorAll("details[id]")];
const note = (part) => folded(part).forEach((node) => served.set(node, node.open));

const NAMED = ["id", "href", "name", "value"];
const alike = (part, node) => [...part.querySelectorAll(node.localName)].filter(
  (each) => NAMED.every((name) => each.getAttribute(name) === node.getAttribute(name)));

// The element that replaces an element: the one at the same place among similar elements, or else the whole part.
function successor(node, old, fresh) {
  const found = alike(fresh, node)[alike(old, node).indexOf(node)];
  if (!found) fresh.tabIndex = -1;
  return found ?? fresh;
}

// Replaces a part. The keyboard focus is kept, and so is the state of `details` that the reader has opened or closed.
function exchange(old, fresh) {
  const focused = old.contains(document.activeElement) && successor(document.activeElement, old, fresh);
  const chosen = folded(old).filter((node) => node.open !== served.get(node)).map((node) => [node.id, node.open]);
  const scrolls = [...old.querySelectorAll(".scroll[id]")].map((node) => [node.id, node.scrollLeft]);
  note(fresh);
  old.replaceWith(fresh);
  chosen.forEach(([id, open]) => { const node = document.getElementById(id); if (node) node.open = open; });
  scrolls.forEach(([id, left]) => { const node = document.getElementById(id); if (node) node.scrollLeft = left; });
  if (focused) focused.focus({ preventScroll: true });
  if (said(fresh) !== said(old)) say(said(fresh));
}

function mark(node, stale) {
  const shown = node.querySelector(":scope > .stale");
  if (shown && !stale) shown.remove();
  if (shown || !stale) return;
  const warning = document.createElement("p");
  warning.className = "note warn stale";
  warning.textContent = LOST;
  node.prepend(warning);
  say(LOST);
}

async function keep(node) {
  let tag = null, failures = 0, unchanged = 0;
  note(node);
  while (node?.dataset.refresh && node.isConnected) {
    await pause(Number(node.dataset.every) * 2 ** Math.min(failures, 5) * slower(unchanged));
    await visible();
    try {
      const answer = await load(node.dataset.refresh, tag);
      failures = 0;
      unchanged = answer ? 0 : unchanged + 1;
      if (answer) {
        tag = answer.tag;
        exchange(node, answer.part);
        node = answer.part;
        if ("reload" in node.dataset) location.reload();
      }
    } catch {
      failures += 1;
    }
    mark(node, failures > 2);
  }
}

document.querySelectorAll("[data-refresh]").forEach(keep);
