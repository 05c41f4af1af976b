"""A local page to write rules, run them over a sample, and get explanations."""
