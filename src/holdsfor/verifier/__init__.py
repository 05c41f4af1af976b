"""Rules written with a verifier at hand: the questions that a language model, or any other program, can ask about texts."""
