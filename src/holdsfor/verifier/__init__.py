"""A verifier of rules: functions on texts for language models and other programs."""
