"""Why something holds, and why it does not: proofs down to rules and rows, and refutations."""
