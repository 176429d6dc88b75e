// The parts of CodeMirror that the code editor needs; `make codemirror` bundles them as ../codemirror.js.
export { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
export { cpp } from "@codemirror/lang-cpp";
export { python } from "@codemirror/lang-python";
export { HighlightStyle, bracketMatching, indentOnInput, indentUnit, syntaxHighlighting, syntaxTree } from "@codemirror/language";
export { lintGutter, setDiagnostics } from "@codemirror/lint";
export { searchKeymap } from "@codemirror/search";
export { EditorState } from "@codemirror/state";
export { EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
export { tags } from "@lezer/highlight";
