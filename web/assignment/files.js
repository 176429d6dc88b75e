// Makes the upload box for programs accept dropped files, and lists which files were chosen, are missing or will be
// replaced, in zips too. Without this module it is a plain form, and the server lists the files after the upload.
import { kib, word } from "./words.js";

const form = document.querySelector("form[data-files]");
const zone = form.querySelector(".drop");
const file = form.querySelector("input[type=file]");
const former = form.querySelector("select[name=former]");
const list = form.querySelector("[data-chosen]");
const { asked, locked, editable } = JSON.parse(form.dataset.files);
const [mostBytes, mostSent] = [Number(form.dataset.limit), Number(form.dataset.sent)];

// Files that the server leaves out, and lists after the upload.
const LEFT_OUT = /^(\..*|__MACOSX|Thumbs\.db|desktop\.ini|CMakeFiles|cmake-build-.*|__pycache__|.*~|.*\.(o|obj|a|lib|so|dll|exe|out|pdb|ilk|class|pyc|sln|vcxproj.*))$/i;

const last = (path) => path.split("/").pop();
const pattern = (text) => new RegExp(`^${text.replace(/[.+^${}()|\\]/g, "\\$&").replace(/\*/g, ".*").replace(/\?/g, ".")}$`, "s");
const editables = editable.map(pattern);

// The file names in a zip, from the directory at its end; null if it cannot be read here. The server reads it fully.
async function names(zip) {
  const data = new DataView(await zip.arrayBuffer());
  let end = data.byteLength - 22;
  while (end >= 0 && data.getUint32(end, true) !== 0x06054b50) end -= 1;
  if (end < 0) return null;
  const found = [];
  let at = data.getUint32(end + 16, true);
  for (let left = data.getUint16(end + 10, true); left > 0; left -= 1) {
    if (at + 46 > data.byteLength || data.getUint32(at, true) !== 0x02014b50) return null;
    const length = data.getUint16(at + 28, true);
    found.push(new TextDecoder().decode(new Uint8Array(data.buffer, at + 46, length)).replaceAll("\\", "/"));
    at += 46 + length + data.getUint16(at + 30, true) + data.getUint16(at + 32, true);
  }
  return found.filter((name) => !name.endsWith("/") && !name.split("/").some((part) => LEFT_OUT.test(part)));
}

// The paths without outer folders that contain all files, if more names fit then. The server does the same.
function fitting(paths) {
  const known = new Set([...asked, ...locked]);
  const fits = (some) => some.filter((path) => known.has(path)).length;
  let [best, inner] = [paths, paths];
  while (inner.length && inner.every((path) => path.includes("/") && path.split("/")[0] === inner[0].split("/")[0])) {
    inner = inner.map((path) => path.slice(path.indexOf("/") + 1));
    if (fits(inner) > fits(best)) best = inner;
  }
  return best;
}

const home = (name) => {
  const homes = [...asked, ...locked].filter((path) => last(path) === name);
  return homes.length === 1 ? homes[0] : name;
};

async function chosen() {
  const found = [];
  for (const each of file.files) {
    if (!/\.zip$/i.test(each.name)) { found.push(home(each.name)); continue; }
    const inside = await names(each);
    if (inside === null) return null;
    found.push(...fitting(inside));
  }
  return found;
}

function lines(paths, takesOver) {
  const given = paths.filter((path) => locked.includes(path));
  const own = paths.filter((path) => !given.includes(path) && editables.some((each) => each.test(path)));
  const others = paths.filter((path) => !given.includes(path) && !own.includes(path));
  const missing = takesOver ? [] : asked.filter((path) => !paths.includes(path));
  const said = [[own.length ? word("Found: {files}.", { files: own.join(", ") }) : word("None of these is a file that you were asked to write."), "quiet"]];
  if (missing.length) said.push([word("Missing: {files}.", { files: missing.join(", ") }), "problem"]);
  if (given.length) {
    const replaced = given.length === 1 ? word("1 handed-out file: your changes to it are replaced.")
      : word("{n} files handed out: your changes there will be replaced.", { n: given.length });
    said.push([replaced, "quiet"]);
  }
  if (others.length) said.push([word("Not required, so not used: {files}.", { files: others.join(", ") }), "quiet"]);
  return said;
}

async function show() {
  const some = [...file.files];
  const size = some.reduce((sum, each) => sum + each.size, 0);
  const zipped = some.some((each) => /\.zip$/i.test(each.name));
  const most = zipped ? mostSent : mostBytes;
  const large = size > most ? word("These files are too large: {size}; the limit is {limit}.", { size: kib(size), limit: kib(most) }) : "";
  const based = Boolean(former?.value || form.elements.carried);
  file.setCustomValidity(large || (some.length || based ? "" : word("Choose your files or a zip of them, or drop them here.")));
  const paths = some.length && !large ? await chosen() : [];
  const said = large ? [[large, "problem"]]
    : paths === null ? [[word("This zip cannot be read here. Upload it to see what is in it."), "quiet"]]
    : some.length ? lines(paths, based) : [];
  list.replaceChildren(...said.map(([text, kind]) => Object.assign(document.createElement("li"), { textContent: text, className: kind })));
}

for (const kind of ["dragenter", "dragover"]) {
  zone.addEventListener(kind, (event) => { event.preventDefault(); zone.classList.add("over"); });
}
for (const kind of ["dragleave", "drop"]) {
  zone.addEventListener(kind, () => zone.classList.remove("over"));
}
zone.addEventListener("drop", (event) => {
  event.preventDefault();
  if (event.dataTransfer.files.length) file.files = event.dataTransfer.files;
  show();
});
for (const kind of ["dragover", "drop"]) {  // a file dropped beside the box must not replace the page
  window.addEventListener(kind, (event) => event.preventDefault());
}
file.addEventListener("change", show);
former?.addEventListener("change", show);
form.addEventListener("submit", (event) => {
  const button = event.submitter ?? form.querySelector("button.main");
  setTimeout(() => { button.disabled = true; button.textContent = word("Uploading …"); });
});
window.addEventListener("pageshow", show);
