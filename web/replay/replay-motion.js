// Shows how a card goes from one drawing to the next: both are drawn as they are, and the cards that lie elsewhere now
// move there from where they lay. Nothing moves for those who want less motion.
const MOST = 24;  // more cards than that have been dealt or laid out again, rather than played
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

// Puts a drawing into the stage. What is the same stays as it is, so that the browser lays out and paints only the rest.
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
    const from = nearest ?? (card.closest(".moved") ? hands : null);  // a card that nobody saw comes from its player
    if (from && distance(from, now) > 1) moved.push([card, from, now]);
  }
  if (moved.length > MOST) return;
  for (const [card, from, now] of moved) {
    const shift = `translate(${from.left - now.left}px, ${from.top - now.top}px)`;
    card.animate([{ transform: shift }, { transform: "none" }], { duration, easing: "ease-out" });
  }
}
