// The editor of the workbench: CodeMirror with the two rule languages. Built into static/vendor/editor.js.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, hoverTooltip, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const HEADS = /^(initiatedAt|terminatedAt|initially|initiates|terminates|holdsFor|happensAt|fi|ft|p)(?=\()/;
const WORDS =
  /^(holdsAt|start|end|union_all|intersect_all|relative_complement_all|complement_all|seq|allen|intDur\w+|findall|is|not|diamond_\w+|box_\w+|since|until)\b/;
const CALLED = /^(time_unit|time_zone|include|(?:count|sum|avg|min|max|distinct)_within|top|hour|minute|weekday|date|time_of_day|business_hours)(?=\()/;
const NUMBER =
  /^\d+(?:\.\d+)?(?:[eE/][+-]?\d+)?(?:\s?(?:ns|us|µs|ms|s|secs?|seconds?|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)\b)?/;
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
      if (stream.match(NUMBER)) return "number";
      if (stream.match(CALLED)) return "keyword";
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

// `host` answers complete(offset) and hover(offset), and is told of changed(text).
export class Editor {
  constructor(parent, { host, keys }) {
    this.host = host;
    this.keys = keys;
    this.states = new Map();
    this.name = null;
    this.view = new EditorView({ parent });
  }

  // Every file keeps its own history and its own place.
  open(name, text, isMetric) {
    if (this.name !== null) this.states.set(this.name, this.view.state);
    this.name = name;
    this.view.setState(this.states.get(name) ?? this.stateOf(name, text, isMetric));
  }

  // The next time, a file is opened as if it had not been open before.
  forget(name) {
    this.states.delete(name);
  }

  stateOf(name, text, isMetric) {
    const { host } = this;
    const complete = async (context) => {
      const word = context.matchBefore(/[\p{L}\p{N}_]+/u);
      if (!word && !context.explicit) return null;
      const options = await host.complete(context.pos);
      return { from: word ? word.from : context.pos, options, validFor: /^[\p{L}\p{N}_]*$/u };
    };
    const hover = async (_, at) => {
      const found = await host.hover(at);
      return found && { pos: found.from, end: found.to, create: () => ({ dom: found.dom }) };
    };
    return EditorState.create({
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
        EditorView.contentAttributes.of({ "aria-label": `Rules in ${name}`, spellcheck: "false", tabindex: "0" }),
        EditorView.updateListener.of((update) => update.docChanged && host.changed(update.state.doc.toString())),
        autocompletion({ override: [complete] }),
        hoverTooltip(hover),
        keymap.of([
          ...this.keys,
          ...closeBracketsKeymap,
          ...completionKeymap,
          ...lintKeymap,
          ...historyKeymap,
          ...defaultKeymap,
          indentWithTab,
        ]),
      ],
    });
  }

  // A new text as one change, which can be taken back.
  replace(text) {
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
  }

  // Findings: from, to, severity, message.
  mark(findings) {
    const end = this.view.state.doc.length;
    const inside = findings.map((one) => ({ ...one, from: Math.min(one.from, end), to: Math.min(one.to, end) }));
    this.view.dispatch(setDiagnostics(this.view.state, inside));
  }

  show(from, to) {
    const end = this.view.state.doc.length;
    const anchor = Math.min(from, end);
    const effects = EditorView.scrollIntoView(anchor, { y: "center" });
    this.view.dispatch({ selection: { anchor, head: Math.min(to, end) }, effects });
    this.view.focus();
  }
}
