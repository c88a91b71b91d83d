"""Results: their data, their document, and every medium that is made from these two.

A class of results inherits `result.Result` and defines

- its *data*: `KIND`, `FACTS`, `TABLES` and `MAIN`, and the methods `facts()` and `tables()`. Names are stable and
  numbers have full precision; JSON, its schema, CSV and frames of pandas, polars and Arrow follow.
- its *document*: `document(view)` returns a `document.Document` of headline, verdict, notices and sections, whose
  bodies (`Grid`, `Chart`, `Notes`, `Facts`, sentences) are made when a medium needs them. It contains no markup and
  rounds nothing; text, notebook, Markdown, LaTeX and the page are made from it.

Rules for `document()`: it is cheap, since `print` calls it; cells are raw values of a kind, and only
`values.value_text` formats them; names of clusters are `Name`, options of a call `Mention`, numbers in sentences
`Value` or `Count`; a section without bodies is left out. HTML is made by `html.h`, which escapes all other text.

This package does not depend on clusterings: verdicts, advice, captions and drawings are in the packages of the results.
`docs/architecture.md` has an example.
"""
