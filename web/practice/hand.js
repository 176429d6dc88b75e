// Plays games by hand without reloading the page: forms are sent in the background, and the game is replaced by the
// server's answer. While the bots play, the server is asked often; during the person's turn only seldom, in case the game
// has continued in another tab.
import { moveCards } from "./replay-motion.js";
import { word } from "./words.js";

const main = document.getElementById("main");
const said = document.getElementById("said");  // its text is read out by screen readers
const SOON_MS = 120, LATE_MS = 2000, SELDOM_MS = 30000, MOTION_MS = 350;
const LOST = word("The server cannot be reached at the moment. This page keeps trying automatically.");
const game = () => document.getElementById("hand");
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

function exchange(fresh) {
  const old = game(), stage = fresh.querySelector("[data-stage]"), html = stage.innerHTML;
  stage.innerHTML = old.querySelector("[data-stage]").innerHTML;  // the cards start moving from their old places
  const opened = old.querySelector("#happened[open]"), list = fresh.querySelector("#happened");
  if (opened && list) list.open = true;
  old.replaceWith(fresh);
  moveCards(stage, html, stage.dataset.seat, MOTION_MS);
  fresh.querySelector("[autofocus]")?.focus({ preventScroll: !fresh.querySelector("[role=alert]") });
  said.textContent = fresh.querySelector("[data-say]").textContent.trim();
}

async function take(answer) {
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.getElementById("hand");
  if (fresh) exchange(document.adoptNode(fresh));
  else location.reload();  // signed out, or an error, which the page explains
}

let turn = 0;  // only the latest wait continues
async function wait() {
  const own = turn += 1;
  let ms = SOON_MS;
  while (own === turn && (game().dataset.wait !== undefined || game().dataset.turn !== undefined)) {
    await pause(game().dataset.turn !== undefined ? SELDOM_MS : ms);
    if (own !== turn) return;
    if (document.hidden) continue;
    try {
      const query = `?revision=${game().dataset.revision}`;
      const answer = await fetch(game().dataset.live + query, { credentials: "same-origin", cache: "no-store" });
      if (own !== turn) return;
      if (answer.status !== 204) { ms = SOON_MS; await take(answer); }
    } catch {
      said.textContent = LOST;
    }
    ms = Math.min(LATE_MS, ms * 1.3);
  }
}

main.addEventListener("submit", async (event) => {  // runs before `once.js`, which listens on the document
  const form = event.target;
  if (!game().contains(form)) return;
  event.preventDefault();
  const data = new FormData(form, event.submitter);
  turn += 1;
  main.querySelectorAll("#hand button").forEach((button) => { button.disabled = true; });
  try {
    await take(await fetch(form.action, { method: "POST", body: data, credentials: "same-origin" }));
  } catch {
    main.querySelectorAll("#hand button").forEach((button) => { button.disabled = false; });
    said.textContent = LOST;
  }
  wait();
});
wait();
