// Asks the browser for the answer of a passkey (with the options in `data-asked`), or for a new passkey (`data-wanted`).
// The result goes into a hidden field of the same form. Without this module, people can use a code.
import { word } from "./words.js";

const said = document.getElementById("said");
const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (each) => each.charCodeAt(0));
const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)))
  .replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
const named = (list) => (list ?? []).map((each) => ({ ...each, id: bytes(each.id) }));
let asking;  // one request at a time: the browser refuses a second one

async function ask(ceremony, told) {
  asking?.abort();
  asking = new AbortController();
  const publicKey = { ...told, challenge: bytes(told.challenge) };
  if (told.user) publicKey.user = { ...told.user, id: bytes(told.user.id) };
  publicKey.allowCredentials = named(told.allowCredentials);
  publicKey.excludeCredentials = named(told.excludeCredentials);
  const found = await navigator.credentials[ceremony]({ publicKey, signal: asking.signal });
  const response = {};
  for (const name of ["clientDataJSON", "attestationObject", "authenticatorData", "signature"]) {
    if (found.response[name]) response[name] = text(found.response[name]);
  }
  return JSON.stringify({ id: found.id, rawId: text(found.rawId), type: found.type, response });
}

function tell(form, sentence) {
  form.querySelector("[data-told]").textContent = said.textContent = sentence;
}

// Shows why there is no passkey, unless another request replaced this one, or the page itself began it (`quiet`).
async function filled(form, ceremony, options, field, quiet) {
  try {
    form.elements[field].value = await ask(ceremony, JSON.parse(options));
    return true;
  } catch (error) {
    if (error.name === "InvalidStateError") tell(form, word("This device already has a passkey for this site."));
    else if (error.name !== "AbortError" && !quiet) tell(form, word("No passkey responded."));
    return false;
  }
}

async function prove(form, quiet = false) {
  if (!await filled(form, "get", form.dataset.asked, "passkey", quiet)) return;
  form.querySelector("[data-code]").required = false;
  if (form.dataset.begin !== undefined) form.requestSubmit();
  else tell(form, word("Your passkey worked, so no code is needed."));
}

for (const form of document.querySelectorAll("form[data-asked], form[data-wanted]")) {
  const button = form.querySelector("[data-prove]");
  if (!window.PublicKeyCredential) {
    tell(form, word("This browser has no passkeys."));
    continue;
  }
  tell(form, "");
  button?.removeAttribute("hidden");
  button?.addEventListener("click", () => prove(form));
  if (form.dataset.wanted) form.addEventListener("submit", async (event) => {
    if (form.elements.made.value) return;
    event.preventDefault();
    if (await filled(form, "create", form.dataset.wanted, "made")) form.requestSubmit();
  });
  if (form.dataset.begin) prove(form, true);
}
