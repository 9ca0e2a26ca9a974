// Starts `loom lsp` for `.ddd` files and hands its answers to the editor.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function activate() {
  const [command, ...args] = workspace.getConfiguration("loom").get("command");
  const options = { documentSelector: [{ scheme: "file", language: "ddd" }] };
  client = new LanguageClient("loom", "Loom", { command, args }, options);
  return client.start();
}

function deactivate() {
  return client && client.stop();
}

module.exports = { activate, deactivate };
