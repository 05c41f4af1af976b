"""Evaluates rules with Structured Streaming: micro-batches in, a changelog of intervals out."""
