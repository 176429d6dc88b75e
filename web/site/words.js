// The scripts' messages, with values filled in: in English as written in the script, in other languages from a list in
// the page (`script_words` in `languages.py`).
const words = JSON.parse(document.getElementById("words")?.textContent || "{}");
const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);

export const word = (english, values = {}) => fill(words[english] ?? english, values);

const tenths = new Intl.NumberFormat(document.documentElement.lang, { maximumFractionDigits: 1, useGrouping: false });

export const kib = (bytes) => bytes < 1024 ? word("{n} bytes", { n: bytes }) : `${tenths.format(bytes / 1024)} KiB`;
