"""How a program is cut into stages, and its instances spread by keys: plain data made from a plan; no Spark."""
