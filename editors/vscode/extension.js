"use strict";

const { commands, window, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");
const { serverCommand } = require("./server");

const SECTION = "holdsfor";
const LANGUAGES = ["rtec", "dmtl"];

let client;
let watcher;

async function start() {
  const settings = workspace.getConfiguration(SECTION);
  const folder = workspace.workspaceFolders?.[0]?.uri.fsPath;
  const server = serverCommand(settings.get("path"), folder);
  client = new LanguageClient(SECTION, "holdsfor", server, {
    documentSelector: LANGUAGES.flatMap((language) => [
      { scheme: "file", language },
      { scheme: "untitled", language },
    ]),
    initializationOptions: { background: settings.get("background"), events: settings.get("events") },
    synchronize: {
      configurationSection: SECTION,
      fileEvents: watcher,
    },
  });
  try {
    await client.start();
  } catch (problem) {
    client = undefined;
    window.showErrorMessage(
      `holdsfor: cannot start "${server.command} lsp" (${problem.message ?? problem}). ` +
        "Install it with: pip install 'holdsfor[lsp]', or set holdsfor.path."
    );
  }
}

async function stop() {
  const running = client;
  client = undefined;
  await running?.stop();
}

async function restart() {
  await stop();
  await start();
}

async function activate(context) {
  watcher = workspace.createFileSystemWatcher("**/*.{prolog,rtec,pl,dmtl}");
  context.subscriptions.push(
    watcher,
    commands.registerCommand("holdsfor.restart", restart),
    workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(`${SECTION}.path`)) {
        return restart();
      }
    })
  );
  await start();
}

module.exports = { activate, deactivate: stop };
