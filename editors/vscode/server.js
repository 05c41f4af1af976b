"use strict";

// How the language server is started. Kept apart from the extension so that it needs nothing of VS Code.

const path = require("path");

/** The command line of the server: the `holdsfor.path` setting, seen from the folder that is open. */
function serverCommand(setting, folder) {
  const given = (setting || "").trim() || "holdsfor";
  const command = folder ? given.replace(/\$\{workspaceFolder\}/g, folder) : given;
  const isRelativePath = /[\\/]/.test(command) && !path.isAbsolute(command);
  return {
    command: isRelativePath && folder ? path.join(folder, command) : command,
    args: ["lsp"],
    options: folder ? { cwd: folder } : {},
  };
}

module.exports = { serverCommand };
