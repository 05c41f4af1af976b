"""Editor support for rule files: names, definitions, renaming, hovering, completion; `server` speaks LSP."""
