"""Offers that stand until they are taken, of the NetBill example."""
