// An editor for code with line numbers, indentation by Tab, and errors at their lines. Without this module, there is a
// plain text area. It stays in the form, hidden and up to date, so the form is saved and sent as before. The editor is in
// a shadow tree, where it adopts style sheets; elsewhere it would add a style element, which the content security policy
// forbids.
import {
  EditorState, EditorView, HighlightStyle, bracketMatching, cpp, defaultKeymap, highlightActiveLine, history, historyKeymap,
  indentOnInput, indentUnit, indentWithTab, keymap, lineNumbers, lintGutter, python, searchKeymap, setDiagnostics,
  syntaxHighlighting, syntaxTree, tags,
} from "./codemirror.js";
import { word } from "./words.js";

const LINE_EM = 1.4, INDENT = 4, AFTER_MS = 800;
const LOOKS = EditorView.theme({
  "&": { background: "var(--surface)", color: "var(--ink)", border: "1px solid var(--line)", borderRadius: "7px", fontSize: ".85rem" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "2px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: String(LINE_EM), maxHeight: "70vh", overflow: "auto" },
  ".cm-content": { caretColor: "var(--ink)" },
  ".cm-gutters": { background: "var(--code)", color: "var(--muted)", border: "0", borderRadius: "7px 0 0 7px" },
  ".cm-activeLine": { background: "color-mix(in srgb, var(--soft) 60%, transparent)" },
  "&.cm-focused .cm-matchingBracket": { background: "var(--you-soft)" },
  ".cm-tooltip, .cm-panels": { background: "var(--surface)", color: "var(--ink)", border: "1px solid var(--line)" },
  ".cm-panel button, .cm-panel input": { background: "var(--surface)", color: "var(--ink)", backgroundImage: "none" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--bad)" },
});
const COLOURS = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: "var(--keyword)" },
  { tag: [tags.string, tags.character], color: "var(--string)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--number)" },
  { tag: [tags.function(tags.definition(tags.variableName)), tags.definition(tags.className)], color: "var(--defined)" },
  { tag: [tags.comment, tags.meta], color: "var(--muted)" },
]);
// Replaces a selection with the typed text. The browser itself would give the new text the colours of the old text in an
// inline style, which the content security policy forbids.
const OVERTYPING = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    if (event.inputType !== "insertText" || event.isComposing || !event.data || view.state.selection.main.empty) return false;
    view.dispatch({ ...view.state.replaceSelection(event.data), userEvent: "input.type", scrollIntoView: true });
    event.preventDefault();
    return true;
  },
});
const list = document.querySelector("[data-problems]");

function language(file) {
  if (file.endsWith(".py")) return python();
  return /\.(c|cc|cpp|h|hpp)$/.test(file) ? cpp() : [];
}

// The problems of one field, from the list at the top of the page, each at its line.
function problems(id, doc) {
  const own = [...(list?.querySelectorAll("li[data-line]") ?? [])].filter((item) => {
    const { pathname, hash } = new URL(item.querySelector("a").href);
    return pathname === location.pathname && decodeURIComponent(hash) === `#${id}`;
  });
  return own.map((item) => {
    const line = doc.line(Math.min(Math.max(Number(item.dataset.line), 1), doc.lines));
    return { from: line.from, to: line.to, severity: "error", message: item.textContent.trim() };
  });
}

// The first line with a syntax error, unless it is doctest text; a reliable check runs in the sandbox when the draft is
// tried.
function syntax(state) {
  if (state.doc.toString().trimStart().startsWith(">>>")) return [];
  let wrong = null;
  syntaxTree(state).iterate({ enter: (node) => { if (node.type.isError) wrong ??= state.doc.lineAt(node.from); } });
  return wrong ? [{ from: wrong.from, to: wrong.to, severity: "warning", message: word("Check the syntax here.") }] : [];
}

function edit(area) {
  const { id } = area, [label] = area.labels, host = document.createElement("div"), note = document.createElement("p");
  const root = host.attachShadow({ mode: "open" });
  label.removeAttribute("for");
  note.id = "keys";
  note.style.cssText = "color: var(--muted); font-size: .85rem; margin: .2rem 0";
  note.textContent = word("Tab indents. To leave the editor, press Escape, then Tab.");
  let timer = null;
  const mark = () => {
    const found = [...problems(id, view.state.doc), ...(area.dataset.code.endsWith(".py") ? syntax(view.state) : [])];
    view.dispatch(setDiagnostics(view.state, found));
  };
  const view = new EditorView({
    root,
    doc: area.value,
    extensions: [
      lineNumbers(), history(), highlightActiveLine(), bracketMatching(), indentOnInput(), lintGutter(),
      indentUnit.of(" ".repeat(INDENT)), EditorState.tabSize.of(INDENT), language(area.dataset.code),
      syntaxHighlighting(COLOURS), LOOKS, OVERTYPING, EditorView.theme({ ".cm-content": { minHeight: `${area.rows * LINE_EM}em` } }),
      keymap.of([indentWithTab, ...searchKeymap, ...historyKeymap, ...defaultKeymap]),
      EditorView.contentAttributes.of({ tabindex: "0", "aria-label": label.textContent.trim(), "aria-describedby": note.id }),
      EditorView.updateListener.of((update) => {
        if (!update.docChanged) return;
        area.value = update.state.doc.toString();
        area.dispatchEvent(new Event("input", { bubbles: true }));
        clearTimeout(timer);
        timer = setTimeout(mark, AFTER_MS);
      }),
    ],
  });
  area.hidden = true;
  area.removeAttribute("id");
  host.id = id;  // so that links to the field lead here
  root.append(view.dom, note);
  area.after(host);
  label.addEventListener("click", () => view.focus());
  mark();
  if (list) new MutationObserver(mark).observe(list, { childList: true });
}

document.querySelectorAll("textarea[data-code]").forEach(edit);
