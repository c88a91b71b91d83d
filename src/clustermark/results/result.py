"""The mixin of results, which makes every medium from data and a document."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import TYPE_CHECKING, Any, ClassVar

from clustermark.errors import InputError
from clustermark.results.document import PAGE, SUMMARY, WHOLE
from clustermark.results.files import write_text
from clustermark.results.frames import Columnar, storable_frame

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from os import PathLike

    from clustermark.errors import Mention
    from clustermark.results.data import Columns, Table
    from clustermark.results.document import Document, View


class Result(Columnar):
    """A result that declares its data and returns a document, from which every medium is made."""

    __slots__ = ()

    KIND: ClassVar[str]
    """The value of "kind" in JSON."""
    FACTS: ClassVar[Columns]
    """The facts in JSON beside the tables."""
    TABLES: ClassVar[dict[str, Columns]]
    """The columns of the tables in JSON."""
    MAIN: ClassVar[str]
    """The table of CSV and frames."""

    def facts(self) -> Mapping[str, Any]:
        """Return the facts, by the names in `FACTS`."""
        raise NotImplementedError

    def tables(self) -> Mapping[str, Table]:
        """Return the tables, by the names in `TABLES`; each has `to_csv` and frames too."""
        raise NotImplementedError

    def document(self, view: View = SUMMARY) -> Document:
        """Return the document that text, notebook, Markdown, LaTeX and page show."""
        raise NotImplementedError

    @property
    def headline(self) -> str:
        """The analysis and the size of the data, in one line."""
        from clustermark.results.text import Writer

        document = self.document(SUMMARY)
        return Writer(document.noun).prose(document.headline)

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the columns of the main table as lists of plain Python values."""
        columns: dict[str, list[Any]] = self.tables()[self.MAIN].to_dict()
        return columns

    def to_text(self, mention: Callable[[Mention], str] = str) -> str:
        """Return lines of text, as `print` shows them; `mention` formats options in them, by default as in Python."""
        from clustermark.results.text import document_text

        return document_text(self.document(SUMMARY), mention)

    def __repr__(self) -> str:
        return self.to_text()

    def to_html(self) -> str:
        """Return the HTML for a notebook."""
        from clustermark.results.notebook import document_html

        return str(document_html(self.document(SUMMARY)))

    def _repr_html_(self) -> str:
        return self.to_html()

    def to_json(self, indent: int | None = None) -> str:
        """Return one JSON object, as `json_schema()` describes it; infinite numbers are strings."""
        from clustermark.results.json import document_of, json_text

        return json_text(document_of(self), indent)

    def write_json(self, path: str | PathLike[str], *, overwrite: bool = False, indent: int | None = 2) -> None:
        """Write `to_json()` to a file."""
        write_text(self.to_json(indent) + "\n", path, overwrite=overwrite)

    def to_uns(self, adata: Any, key: str = "clustermark", *, overwrite: bool = False) -> None:
        """Write the result into `adata.uns[key]` of an AnnData: "tables" as data frames, "kind", "headline" and "json".

        overwrite: whether annotations with this key are replaced.
        """
        annotations = getattr(adata, "uns", None)
        if not isinstance(annotations, MutableMapping):
            raise InputError(f"adata is a {type(adata).__name__}, which has no `uns`; pass an AnnData")
        if key in annotations and not overwrite:
            raise InputError(f"adata.uns has {key!r} already; choose another key, or pass overwrite=True")
        tables = {name: storable_frame(table.to_dict()) for name, table in self.tables().items()}
        annotations[key] = {"kind": self.KIND, "headline": self.headline, "json": self.to_json(), "tables": tables}

    def to_markdown(self, digits: int | None = None) -> str:
        """Return Markdown with all sections; charts are left out.

        digits: the decimals of scores in tables; by default as many as suit the table.
        """
        from clustermark.results.markdown import document_markdown

        return document_markdown(self.document(WHOLE), digits)

    def write_markdown(self, path: str | PathLike[str], *, overwrite: bool = False, digits: int | None = None) -> None:
        """Write `to_markdown()` to a file."""
        write_text(self.to_markdown(digits), path, overwrite=overwrite)

    def to_latex(self, digits: int | None = None) -> str:
        """Return the main tables as LaTeX for the package booktabs.

        digits: the decimals of scores; by default as many as their intervals justify, and 4 without intervals.
        """
        from clustermark.results.latex import document_latex

        return document_latex(self.document(WHOLE), digits)

    def write_latex(self, path: str | PathLike[str], *, overwrite: bool = False, digits: int | None = None) -> None:
        """Write `to_latex()` to a file."""
        write_text(self.to_latex(digits), path, overwrite=overwrite)

    def report(self, title: str | None = None) -> str:
        """Return a page of HTML with all content, which loads nothing."""
        from clustermark.results.json import document_of
        from clustermark.results.page import page_of

        return page_of(document_of(self), self.document(PAGE), title)

    def write_report(self, path: str | PathLike[str], title: str | None = None, *, overwrite: bool = False) -> None:
        """Write `report()` to a file: one page to read, to send and to print."""
        write_text(self.report(title), path, overwrite=overwrite)
