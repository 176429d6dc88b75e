// Plays a replay in the browser, from one file with all drawings. Without this module, the controls are plain links.
import { drawTimeline } from "./replay-timeline.js";
import { draw, moveCards } from "./replay-motion.js";
import { word } from "./words.js";

const root = document.querySelector("[data-replay]");
const stage = root.querySelector("[data-stage]");
const slider = root.querySelector("input[type=range]");
const playing = root.querySelector("[data-playing]");
const speed = root.querySelector("[data-speed]");
const last = Number(slider.max);
const own = new Set(root.dataset.own.split(" ").filter(Boolean).map(Number));
const embedded = document.getElementById("film");  // only in a replay file that is opened without the site
const said = document.getElementById("said");  // its text is read out by screen readers
const brief = root.dataset.brief;  // the replay is part of another page, whose address must not change
const STEP_MS = brief === "worked-turn" ? 5000 : 900;  // sentences take time to read
const SPEEDS = [...speed.options].map((option) => option.value);
const openTable = stage.className;
let at = Number(slider.value), timer = null, film = null;

const address = (index) => `${root.dataset.replay}/${index}${root.dataset.view}`;
const within = (index) => Math.min(last, Math.max(0, index));

function load() {
  const query = `${root.dataset.view ? `${root.dataset.view}&` : "?"}part=film`;
  if (embedded) film ??= Promise.resolve(JSON.parse(embedded.textContent));
  film ??= fetch(`${root.dataset.replay}/0${query}`, { credentials: "same-origin", redirect: "error" }).then((response) => {
    if (!response.ok) throw new Error(response.statusText);
    return response.json();
  });
  return film;
}

const piece = (film, number) => film.pieces[number].map((part) => film.parts[part]).join(film.card);
const drawings = (film) => film.views?.[root.dataset.view.split("=")[1]] ?? film.drawings;
const drawing = (film, index) => drawings(film)[index].map((number) => piece(film, number)).join(film.section);

function mark(index) {
  const list = root.querySelector(".plays"), item = list?.querySelector(`[data-play="${index}"]`);
  if (item) list.scrollTop = item.offsetTop - list.offsetTop - list.clientHeight / 2;  // before the changes below, to avoid a second layout
  slider.value = index;
  slider.setAttribute("aria-valuetext", word("play {index} of {last}", { index, last }));
  for (const link of root.querySelectorAll("[data-to]")) {
    const target = within({ first: 0, previous: index - 1, next: index + 1, last }[link.dataset.to] ?? Number(link.dataset.to));
    link.href = address(target);
    if (target === index) link.setAttribute("aria-disabled", "true");
    else link.removeAttribute("aria-disabled");
  }
  for (const link of root.querySelectorAll("[data-seen]")) link.href = `${root.dataset.replay}/${index}${link.dataset.seen}`;
  if (!list) return;
  list.querySelector("[aria-current]")?.removeAttribute("aria-current");
  item?.setAttribute("aria-current", "step");
}

function offerTests(film, index) {  // tests of the calls to each seat before this play
  for (const offer of root.querySelectorAll("[data-test]")) {
    const seat = Number(offer.dataset.test);
    offer.hidden = film.files ? !film.files[seat]?.[index] : !film.asked[index].includes(seat);
    for (const link of offer.querySelectorAll("a")) link.href = `${root.dataset.replay}/${index}?part=test&of=${seat}`;
    if (offer.hidden || !film.files) continue;
    offer.querySelector("code").textContent = film.files[seat][index].map((part) => film.texts[part]).join(film.cut);
    offer.querySelector("[data-save]").dataset.save = `test_play_${index}.py`;
  }
}

function see(link) {  // only in a replay file, which contains all views
  const seat = link.dataset.seen.split("=")[1];
  root.dataset.view = link.dataset.seen;
  root.querySelector("[data-seen][aria-current]")?.removeAttribute("aria-current");
  link.setAttribute("aria-current", "true");
  stage.className = seat ? `bottom-${seat} sided` : openTable;
  for (const play of root.querySelectorAll("[data-play]")) play.href = address(Number(play.dataset.play));
}

async function show(index) {
  const target = within(index), before = at;
  at = target;
  mark(target);
  try {
    const all = await load();
    if (at !== target) return;  // a later request has replaced this one
    const html = drawing(all, target);
    if (target === before + 1) moveCards(stage, html, all.seats[target][0], Math.min(350, STEP_MS / speed.value / 2));
    else draw(stage, html);
    offerTests(all, target);
    if (timer === null) said.textContent = stage.querySelector(".caption").textContent;
    if (!brief) history.replaceState(null, "", address(target));
  } catch {
    stop();
    location.assign(address(target));  // the page explains any error
  }
}

function stop() {
  clearTimeout(timer);
  timer = null;
  playing.setAttribute("aria-pressed", "false");
  playing.textContent = word("Play");
}

async function run() {
  if (at >= last) return stop();
  await show(at + 1);
  if (timer !== null) timer = setTimeout(run, STEP_MS / speed.value);
}

function toggle() {
  if (timer !== null) return stop();
  playing.setAttribute("aria-pressed", "true");
  playing.textContent = word("Pause");
  if (at >= last) at = -1;
  timer = setTimeout(run, 0);
}

const ahead = ({ best, values }, index) => {
  const wanted = best === "low" ? Math.min(...values[index]) : Math.max(...values[index]);
  return values[index].flatMap((value, seat) => (value === wanted ? [seat] : []));
};
const lead = (measure, index) => {  // the seat that was most recently ahead alone
  for (let number = index; number >= 0; number -= 1) {
    const seats = ahead(measure, number);
    if (seats.length === 1) return seats[0];
  }
  return null;
};
const JUMPS = {
  turn: (film, index) => film.opens[index],
  own: (film, index) => film.seats[index].some((seat) => own.has(seat)),
  surprise: (film, index) => film.faults.includes(index)
    || (film.measure !== null && lead(film.measure, index) !== lead(film.measure, index - 1)),
};

async function jump(kind) {
  const all = await load();
  let index = at + 1;
  while (index <= last && !JUMPS[kind](all, index)) index += 1;
  stop();
  show(index);  // if nothing was found, this is the end
}

function faster(steps) {
  const index = SPEEDS.indexOf(speed.value) + steps;
  if (index in SPEEDS) speed.value = SPEEDS[index];
}

const KEYS = {
  ArrowRight: () => show(at + 1), ArrowLeft: () => show(at - 1), Home: () => show(0), End: () => show(last),
  t: () => jump("turn"), o: () => own.size && jump("own"), s: () => jump("surprise"),
};
const KEPT = { " ": toggle, "+": () => faster(1), "-": () => faster(-1) };  // keys that do not stop the replay

root.addEventListener("click", (event) => {
  const button = event.target.closest("[data-jump]");
  if (button) return jump(button.dataset.jump);
  const link = event.target.closest(`a[data-to], a[data-play]${embedded ? ", a[data-seen]" : ""}`);
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  stop();
  if ("seen" in link.dataset) see(link);
  show(Number(link.dataset.play ?? link.href.split("?")[0].split("/").at(-1)));
});
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input:not([type=range]), textarea, select")) return;
  if (event.key === " " && event.target.closest("button, a, summary")) return;
  const action = KEPT[event.key] ?? KEYS[event.key];
  const letter = event.key.length === 1 && event.key !== " ";
  if (!action || ((letter || brief) && !root.contains(event.target))) return;  // letters count only inside the replay
  event.preventDefault();
  if (!(event.key in KEPT)) stop();
  action();
});
slider.addEventListener("input", () => { stop(); show(Number(slider.value)); });
playing.addEventListener("click", toggle);
root.querySelectorAll("[data-scripted]").forEach((node) => { node.hidden = false; });
mark(at);
if (embedded && location.hash.startsWith("#/")) {
  const [play, seat] = location.hash.slice(2).split("?"), link = root.querySelector(`[data-seen="?${CSS.escape(seat ?? "")}"]`);
  if (link) see(link);
  show(Number(play) || 0);
}
if (!brief) load().then((all) => drawTimeline(root, all, (index) => { stop(); show(index); }), () => { film = null; });
