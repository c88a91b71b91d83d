"""An evaluation shown: text, Markdown, LaTeX, JSON, charts, a page. No mathematics."""
