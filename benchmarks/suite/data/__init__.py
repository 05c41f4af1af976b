"""What workloads are made of: rules, and streams made up for them."""
