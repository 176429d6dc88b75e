// Shows the address that the server derives from the typed title, until the visitor types another address.
const PAUSE_MS = 150;
const { title, slug } = document.querySelector(".new-assignment").elements;
let own = slug.value !== "";
let timer = 0;

async function preview() {
  const typed = title.value;
  const answer = await fetch(`address?${new URLSearchParams({ title: typed })}`);
  const address = answer.ok ? await answer.text() : "";
  if (!own && typed === title.value) slug.value = address;
}

slug.addEventListener("input", () => { own = slug.value !== ""; });
title.addEventListener("input", () => {
  clearTimeout(timer);
  if (!own) timer = setTimeout(preview, PAUSE_MS);
});
