"""The engine before the plan ran key by key, and the present one, side by side in one run."""
