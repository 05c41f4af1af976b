"""Situations as alerts: an interval with an identity opens, is updated and closes, with a message each time."""

from __future__ import annotations

from holdsfor.alerts.alert import Action, Alert, alerts_of
from holdsfor.alerts.lines import JsonLines
from holdsfor.alerts.webhook import Webhook, signature, verify

__all__ = ["Action", "Alert", "JsonLines", "Webhook", "alerts_of", "signature", "verify"]
