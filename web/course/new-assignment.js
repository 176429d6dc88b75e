// Shows the address that follows from the title until somebody types another. The server makes an empty one in the same way.
const LONGEST = 36;
const form = document.querySelector(".new-assignment");
const { title, slug } = form.elements;
const taken = new Set(form.dataset.taken.split(" "));
let own = slug.value !== "";

function address(text) {
  const plain = text.normalize("NFKD").replace(/[^\x20-\x7e]/g, "").toLowerCase().replace(/[^a-z0-9]+/g, "-");
  const name = plain.slice(0, LONGEST).replace(/^-|-$/g, "");
  let free = name;
  for (let number = 2; taken.has(free); number += 1) free = `${name}-${number}`;
  return free;
}

slug.addEventListener("input", () => { own = slug.value !== ""; });
title.addEventListener("input", () => { if (!own) slug.value = address(title.value); });
