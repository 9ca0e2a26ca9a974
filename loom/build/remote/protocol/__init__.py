"""What is said to a place: messages, and a stored result in their form."""
