"""What an edit of rules would change, how well rules agree with labels, and which constants agree best."""
