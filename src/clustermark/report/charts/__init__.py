"""The charts of a report, drawn by matplotlib."""
