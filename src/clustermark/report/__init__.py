"""An evaluation shown: text, Markdown, LaTeX, JSON. No mathematics."""
