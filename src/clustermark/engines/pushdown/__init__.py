"""The push-down: SQL statements with integer results compute cells from points, and statistics from cells."""
