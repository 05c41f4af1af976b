"""Why something holds, and why it does not: proofs down to rules and rows, refutations, and how to check both."""
