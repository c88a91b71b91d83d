"""What an index is, what is declared of it, and how it is found."""
