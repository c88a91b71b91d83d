"""Results: their data, their document, and every medium that follows from the two.

A class of results mixes in `result.Result` and gives

- its *data*: `KIND`, `FACTS`, `TABLES` and `MAIN`, and the methods `facts()` and `tables()`. Names are stable and
  numbers have full precision; JSON, its schema, CSV and frames of pandas, polars and Arrow follow.
- its *document*: `document(view)` returns a `document.Document` of headline, verdict, notices and sections, whose
  bodies (`Grid`, `Chart`, `Notes`, `Facts`, sentences) are made when a medium asks for them. It holds no markup and
  rounds nothing; text, notebook, Markdown, LaTeX and the page follow.

Rules for `document()`: it is cheap, since `print` asks for it; cells are raw values of a kind, and `values.value_text`
alone decides how a value is written; names of clusters are `Name`, options of a call `Mention`, numbers in sentences
`Value` or `Count`; a section without bodies is left out. HTML is made by `html.h`, which escapes everything else.

This package knows nothing of clusterings: verdicts, advice, captions and drawings stay beside the result.
`docs/architecture.md` has an example.
"""
