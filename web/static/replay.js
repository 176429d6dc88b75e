// Walks through a game without loading pages: buttons, arrow keys, slider, play and pause. The drawings come several at
// a time, before they are wanted. Without this module the buttons are plain links.
const root = document.querySelector("[data-replay]");
const stage = root.querySelector("[data-stage]");
const slider = root.querySelector("input[type=range]");
const playing = root.querySelector("[data-playing]");
const last = Number(slider.max);
const said = document.getElementById("said");  // screen readers read out what it says
const TOGETHER = Number(root.dataset.together), AHEAD = 6, STEP_MS = 900, KEPT = 10;
const cache = new Map();
let at = Number(slider.value), wanted = at, timer = null;

const address = (index) => `${root.dataset.replay}/${index}`;
const within = (index) => Math.min(last, Math.max(0, index));

function drawings(first) {
  if (!cache.has(first)) {
    const answer = fetch(`${address(first)}?part=frames`, { credentials: "same-origin", redirect: "error" }).then((response) => {
      if (!response.ok) throw new Error(response.statusText);
      return response.json();
    });
    answer.catch(() => cache.delete(first));
    cache.set(first, answer);
    if (cache.size > KEPT) cache.delete(cache.keys().next().value);
  }
  return cache.get(first);
}

async function fragment(index) {
  return (await drawings(index - index % TOGETHER))[index % TOGETHER];
}

function prefetch(index, direction) {
  fragment(within(index + direction)).catch(() => {});
  fragment(within(index + AHEAD * direction)).catch(() => {});
}

function mark(index) {
  slider.value = index;
  slider.setAttribute("aria-valuetext", `play ${index} of ${last}`);
  root.querySelectorAll("[data-to]").forEach((link) => {
    const target = within({ first: 0, previous: index - 1, next: index + 1, last }[link.dataset.to] ?? Number(link.dataset.to));
    link.href = address(target);
    if (target === index) link.setAttribute("aria-disabled", "true");
    else link.removeAttribute("aria-disabled");
  });
  const list = root.querySelector(".plays");
  list.querySelector("[aria-current]")?.removeAttribute("aria-current");
  const item = list.querySelector(`[data-play="${index}"]`);
  item?.setAttribute("aria-current", "step");
  if (item) list.scrollTop = item.offsetTop - list.offsetTop - list.clientHeight / 2;
}

async function show(index) {
  const direction = index < at ? -1 : 1;
  wanted = within(index);
  mark(wanted);
  const mine = wanted;
  try {
    const html = await fragment(mine);
    if (mine !== wanted) return;  // a later wish overtook this one
    stage.innerHTML = html;
    at = mine;
    if (timer === null) said.textContent = stage.querySelector(".caption").textContent;
    history.replaceState(null, "", address(mine));
    prefetch(mine, direction);
  } catch {
    stop();
    location.assign(address(mine));  // whatever is wrong, the page says it
  }
}

function stop() {
  clearTimeout(timer);
  timer = null;
  playing.setAttribute("aria-pressed", "false");
  playing.textContent = "Play";
}

async function run() {
  if (wanted >= last) return stop();
  await show(wanted + 1);
  if (timer !== null) timer = setTimeout(run, STEP_MS);
}

function toggle() {
  if (timer !== null) return stop();
  playing.setAttribute("aria-pressed", "true");
  playing.textContent = "Pause";
  if (wanted >= last) wanted = -1;
  timer = setTimeout(run, 0);
}

const KEYS = {
  ArrowRight: () => show(wanted + 1), ArrowLeft: () => show(wanted - 1),
  Home: () => show(0), End: () => show(last), " ": toggle,
};

root.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-to], a[data-play]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  stop();
  show(Number(link.dataset.play ?? new URL(link.href).pathname.split("/").at(-1)));
});
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, textarea, select")) return;
  if (event.key === " " && event.target.closest("button, a, summary")) return;
  const action = KEYS[event.key];
  if (!action) return;
  event.preventDefault();
  if (action !== toggle) stop();
  action();
});
slider.addEventListener("input", () => { stop(); show(Number(slider.value)); });
playing.addEventListener("click", toggle);
root.querySelectorAll("[data-scripted]").forEach((node) => { node.hidden = false; });
mark(at);
prefetch(at, 1);
