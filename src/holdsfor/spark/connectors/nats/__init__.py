"""NATS JetStream: a stream as a source, subjects as a sink."""
