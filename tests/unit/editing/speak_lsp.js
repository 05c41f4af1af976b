"use strict";

// Speaks with the server as the unpacked extension would: `node speak_lsp.js EXTENSION FOLDER HOLDSFOR`. VS Code itself
// is not there: what the extension asks of it is stood in for, and messages go through the client's own library.

const { spawn } = require("child_process");
const Module = require("module");
const path = require("path");
const { pathToFileURL } = require("url");

const [extension, folder, holdsfor] = process.argv.slice(2);
const rpc = require(path.join(extension, "node_modules", "vscode-jsonrpc", "node"));
require.resolve(path.join(extension, "node_modules", "vscode-languageclient", "node"));

async function activated() {
  const clients = [];
  const settings = { path: holdsfor, background: [], events: [] };
  const standIns = {
    vscode: {
      commands: { registerCommand: () => ({}) },
      window: { showErrorMessage: (message) => console.error(message) },
      workspace: {
        getConfiguration: () => ({ get: (name) => settings[name] }),
        workspaceFolders: [{ uri: { fsPath: folder } }],
        createFileSystemWatcher: () => ({}),
        onDidChangeConfiguration: () => ({}),
      },
    },
    "vscode-languageclient/node": {
      LanguageClient: class {
        constructor(id, name, server, options) {
          clients.push({ server, options });
        }
        async start() {}
        async stop() {}
      },
    },
  };
  const load = Module._load;
  Module._load = (name, ...rest) => standIns[name] ?? load(name, ...rest);
  await require(path.join(extension, "extension.js")).activate({ subscriptions: [] });
  Module._load = load;
  return clients[0];
}

async function main() {
  const { server, options } = await activated();
  const languages = [...new Set(options.documentSelector.map((one) => one.language))].sort();
  const running = spawn(server.command, server.args, { ...server.options, stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise((resolve) => running.on("exit", resolve));
  const connection = rpc.createMessageConnection(
    new rpc.StreamMessageReader(running.stdout),
    new rpc.StreamMessageWriter(running.stdin)
  );
  const published = new Promise((resolve) => connection.onNotification("textDocument/publishDiagnostics", resolve));
  connection.listen();
  const rootUri = pathToFileURL(folder).href;
  const { initializationOptions } = options;
  await connection.sendRequest("initialize", { processId: process.pid, rootUri, capabilities: {}, initializationOptions });
  await connection.sendNotification("initialized", {});
  const settings = { [options.synchronize.configurationSection]: { path: holdsfor, ...initializationOptions } };
  await connection.sendNotification("workspace/didChangeConfiguration", { settings });
  const uri = `${rootUri}/rules.prolog`;
  const text = "initiatedAt(on=true, T) :- hapensAt(press, T).\n";
  await connection.sendNotification("textDocument/didOpen", {
    textDocument: { uri, languageId: "rtec", version: 1, text },
  });
  const { diagnostics } = await published;
  const textDocument = { uri };
  const { range } = diagnostics[0];
  const context = { diagnostics };
  const [action] = await connection.sendRequest("textDocument/codeAction", { textDocument, range, context });
  const tokens = await connection.sendRequest("textDocument/semanticTokens/full", { textDocument });
  await connection.sendRequest("shutdown");
  await connection.sendNotification("exit");
  const answers = {
    activated: { languages, command: server.command, args: server.args },
    message: diagnostics[0].message,
    fix: action.edit.changes[uri][0].newText,
    tokens: tokens.data.length / 5,
    exit: await ended,
  };
  console.log(JSON.stringify(answers));
}

main().then(
  () => process.exit(0),
  (problem) => {
    console.error(problem);
    process.exit(1);
  }
);
