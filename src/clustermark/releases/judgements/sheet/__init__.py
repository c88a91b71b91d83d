"""The sheet: one HTML file in which people judge pairs of records, without a network."""
