// Animates cards between two drawings: the new drawing replaces the old one, and cards whose place has changed move there
// from their old places. Nothing moves for people who prefer reduced motion.
const MOST = 24;  // if more cards move, they were dealt or laid out again, not played
const still = matchMedia("(prefers-reduced-motion: reduce)");

const cards = (stage) => [...stage.querySelectorAll("[data-card]:not(.small)")];

function places(stage) {
  const found = new Map();
  for (const card of cards(stage)) {
    const rect = card.getBoundingClientRect();
    found.set(card.dataset.card, [...(found.get(card.dataset.card) ?? []), rect]);
  }
  return found;
}

const distance = (a, b) => Math.hypot(a.left - b.left, a.top - b.top);

// Puts a drawing into the stage. Equal parts are kept, so that the browser lays out and paints only the changed parts.
export function draw(stage, html) {
  const fresh = stage.cloneNode(false);
  fresh.innerHTML = html;
  renew(stage, fresh);
}

function renew(old, fresh) {
  const parts = [...old.childNodes], wanted = [...fresh.childNodes];
  if (parts.length !== wanted.length) return old.replaceChildren(...wanted);
  parts.forEach((part, index) => {
    const other = wanted[index];
    if (part.isEqualNode(other)) return;
    if (part.nodeType === Node.ELEMENT_NODE && part.cloneNode(false).isEqualNode(other.cloneNode(false))) renew(part, other);
    else part.replaceWith(other);
  });
}

export function moveCards(stage, html, seat, duration) {
  const before = still.matches ? null : places(stage);
  const hands = before && stage.querySelector(`.seat-${seat}`)?.getBoundingClientRect();
  draw(stage, html);
  if (!before) return;
  const moved = [];
  for (const card of cards(stage)) {
    const now = card.getBoundingClientRect();
    const former = before.get(card.dataset.card) ?? [];
    const nearest = former.reduce((best, rect) => (!best || distance(rect, now) < distance(best, now) ? rect : best), null);
    if (nearest) former.splice(former.indexOf(nearest), 1);
    const from = nearest ?? (card.closest(".moved") ? hands : null);  // a formerly hidden card comes from its player
    if (from && distance(from, now) > 1) moved.push([card, from, now]);
  }
  if (moved.length > MOST) return;
  for (const [card, from, now] of moved) {
    const shift = `translate(${from.left - now.left}px, ${from.top - now.top}px)`;
    card.animate([{ transform: shift }, { transform: "none" }], { duration, easing: "ease-out" });
  }
}
