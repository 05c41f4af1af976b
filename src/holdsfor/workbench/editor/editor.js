// The editor of the workbench: CodeMirror with the two rule languages. Built into static/vendor/editor.js.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { linter, lintGutter, lintKeymap } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, hoverTooltip, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const HEADS = /^(initiatedAt|terminatedAt|initially|initiates|terminates|holdsFor|happensAt|fi|ft|p)(?=\()/;
const WORDS =
  /^(holdsAt|start|end|union_all|intersect_all|relative_complement_all|complement_all|seq|allen|intDur\w+|findall|is|not|diamond_\w+|box_\w+|since|until)\b/;
const METRIC = /^(Diamondminus|Boxminus|Diamondplus|Boxplus|Since|Until|Top|not|count|sum|min|max)\b/;

function rules(isMetric) {
  return StreamLanguage.define({
    name: isMetric ? "dmtl" : "rtec",
    startState: () => ({ comment: false }),
    token(stream, state) {
      if (state.comment || stream.match("/*")) {
        state.comment = !stream.match(/.*?\*\//);
        if (state.comment) stream.skipToEnd();
        return "comment";
      }
      if (stream.match(isMetric ? /^[%#].*/ : /^%.*/)) return "comment";
      if (stream.match(/^'(?:[^'\\]|''|\\.)*'|^"(?:[^"\\]|""|\\.)*"/)) return "string";
      if (stream.match(/^\d+(?:\.\d+)?(?:[eE/][+-]?\d+)?/)) return "number";
      if (isMetric ? stream.match(METRIC) : stream.match(HEADS) || stream.match(WORDS)) return "keyword";
      if (isMetric && stream.match(/^\w+(?=\()/)) return "function";
      if (stream.match(/^[\p{Lu}_][\p{L}\p{N}_]*/u)) return "variable";
      if (stream.match(/^[\p{L}][\p{L}\p{N}_]*(?=\()/u)) return "function";
      if (stream.match(/^[\p{L}][\p{L}\p{N}_]*/u)) return "atom";
      stream.next();
      return null;
    },
    tokenTable: { function: tags.function(tags.variableName), variable: tags.variableName, atom: tags.atom },
    languageData: { commentTokens: { line: "%" } },
  });
}

const colours = HighlightStyle.define([
  { tag: tags.comment, class: "tok-comment" },
  { tag: tags.string, class: "tok-string" },
  { tag: tags.number, class: "tok-number" },
  { tag: tags.keyword, class: "tok-keyword" },
  { tag: tags.function(tags.variableName), class: "tok-function" },
  { tag: tags.variableName, class: "tok-variable" },
  { tag: tags.atom, class: "tok-atom" },
]);

// `host` answers: lint(text), complete(text, offset), hover(text, offset), changed(text).
export function makeEditor(parent, { text, label, isMetric, host, keys }) {
  const lint = linter(async (view) => host.lint(view.state.doc.toString()), { delay: 250 });
  const complete = autocompletion({
    override: [
      async (context) => {
        const word = context.matchBefore(/[\p{L}\p{N}_]+/u);
        if (!word && !context.explicit) return null;
        const options = await host.complete(context.state.doc.toString(), context.pos);
        return { from: word ? word.from : context.pos, options, validFor: /^[\p{L}\p{N}_]*$/u };
      },
    ],
  });
  const hover = hoverTooltip(async (view, at) => {
    const found = await host.hover(view.state.doc.toString(), at);
    if (!found) return null;
    return { pos: found.from, end: found.to, create: () => ({ dom: found.dom }) };
  });
  return new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        highlightActiveLine(),
        bracketMatching(),
        closeBrackets(),
        lintGutter(),
        rules(isMetric),
        syntaxHighlighting(colours),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false" }),
        EditorView.updateListener.of((update) => update.docChanged && host.changed(update.state.doc.toString())),
        lint,
        complete,
        hover,
        keymap.of([
          ...keys,
          ...closeBracketsKeymap,
          ...completionKeymap,
          ...lintKeymap,
          ...historyKeymap,
          ...defaultKeymap,
          indentWithTab,
        ]),
      ],
    }),
  });
}

export function replaceText(view, text) {
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
}

export function showPlace(view, from, to) {
  const end = view.state.doc.length;
  const anchor = Math.min(from, end);
  view.dispatch({ selection: { anchor, head: Math.min(to, end) }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
  view.focus();
}
