"""What statistics read: a comparison is made once from data, wherever the data lives."""
