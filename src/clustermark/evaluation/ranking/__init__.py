"""Which of many predictions is best, and how sure that is: all of them are compared on the same points."""
