"""What editors ask of rule files: names, definitions, renaming, hovering, completion. `server` speaks LSP."""
