"""Lists of errors, repairs or groups of one evaluation, as one result with several tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from clustermark.diagnosis.cluster_table import ClusterTable
from clustermark.diagnosis.confusions import Confusions
from clustermark.diagnosis.error_list import ErrorList
from clustermark.diagnosis.members import RecordTable
from clustermark.diagnosis.point_table import PointTable
from clustermark.diagnosis.quality import GroupTable
from clustermark.diagnosis.repairs.repair_list import Repairs
from clustermark.diagnosis.subgroups import Subgroups
from clustermark.results.data import NOTICES, POINTS, SETTINGS, Column
from clustermark.results.document import SUMMARY, Document, Section
from clustermark.results.result import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from clustermark.evaluation.notices import Notice
    from clustermark.evaluation.partitions import PartitionEvaluation
    from clustermark.results.data import Columns, Table
    from clustermark.results.document import Body, View
    from clustermark.results.rows import Rows


def _columns_of(kind: type[Rows[Any]]) -> Columns:
    """Return the columns of the facts and rows of a list."""
    return {**kind.FACTS, "rows": Column("rows", rows=kind.COLUMNS)}


class Diagnosis(Result):
    """Lists of what is wrong with a prediction, with the counts, notices and settings of the evaluation.

    A subclass names the lists that it may contain. JSON contains the facts and rows of each list under its name.
    """

    TITLE: ClassVar[str]
    """The heading of the page."""
    LISTS: ClassVar[Mapping[str, tuple[str, type[Rows[Any]]]]]
    """The title and the class of each list, by its name."""
    TABLES: ClassVar[dict[str, Columns]] = {}
    MAIN = "lists"
    ID_COLUMNS = (*RecordTable.ID_COLUMNS, *PointTable.ID_COLUMNS)

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        lists = {
            name: Column("record", rows=_columns_of(kind), sometimes=True) for name, (_, kind) in cls.LISTS.items()
        }
        cls.FACTS = {
            "points": POINTS,
            "notices": NOTICES,
            "settings": SETTINGS,
            "clusters": Column("any"),
            "noise": Column("any"),
            "tables": Column("record", rows=lists, doc="the facts and rows of each list"),
        }

    def __init__(self, evaluation: PartitionEvaluation, lists: Mapping[str, Rows[Any]]) -> None:
        self.evaluation = evaluation
        """The evaluation that the lists explain."""
        self.lists = dict(lists)
        """The lists by name."""

    @property
    def notices(self) -> tuple[Notice, ...]:
        """The notices of the evaluation."""
        return self.evaluation.notices

    def facts(self) -> dict[str, Any]:
        """Return the counts, notices and settings of the evaluation, and the lists."""
        record = self.evaluation.record
        return {
            "points": record.points,
            "notices": [notice._asdict() for notice in record.notices],
            "settings": record.settings,
            "clusters": record.clusters,
            "noise": record.noise,
            "tables": {name: {**one.facts(), "rows": one.tables()["rows"]} for name, one in self.lists.items()},
        }

    def tables(self) -> dict[str, Table]:
        """Return the rows of each list, by its name."""
        return {name: one.tables()["rows"] for name, one in self.lists.items()}

    @property
    def on(self) -> object:
        """The columns of the ids of points, if they have names."""
        return self.evaluation.settings.get("on")

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the columns of the only list, or of all lists with the kind of each row."""
        with_records = any(getattr(one, "has_records", False) for one in self.lists.values())
        listed = {name: _exported(one, with_records).to_dict() for name, one in self.lists.items()}
        return next(iter(listed.values())) if len(listed) == 1 else _stacked(listed)

    def document(self, view: View = SUMMARY) -> Document:
        """Return the document of text, notebook, Markdown, LaTeX and page."""
        return Document(
            title=self.TITLE,
            headline=self.evaluation.headline,
            notices=[notice.text for notice in self.notices],
            sections=[
                Section(name, self.LISTS[name][0], _bodies_of(one, view), level="summary")
                for name, one in self.lists.items()
            ],
        )


class ErrorDiagnosis(Diagnosis):
    """The worst splits and merges of a prediction, or other lists of its errors."""

    KIND = "errors"
    TITLE = "Where the prediction is wrong"
    LISTS = {  # noqa: RUF012  (declared in the base class)
        "splits": ("Worst splits", ErrorList),
        "merges": ("Worst merges", ErrorList),
        "clusters": ("Predicted clusters", ClusterTable),
        "classes": ("True clusters", ClusterTable),
        "confusions": (Confusions.TITLE, Confusions),
        "points": (PointTable.TITLE, PointTable),
    }


class RepairDiagnosis(Diagnosis):
    """The repairs that remove most errors of a prediction."""

    KIND = "repairs"
    TITLE = "What to repair first"
    LISTS = {"repairs": (Repairs.TITLE, Repairs)}  # noqa: RUF012  (declared in the base class)


class GroupDiagnosis(Diagnosis):
    """The quality of a prediction for groups of points."""

    KIND = "groups"
    TITLE = GroupTable.TITLE
    LISTS = {  # noqa: RUF012  (declared in the base class)
        "groups": (GroupTable.TITLE, GroupTable),
        "subgroups": (Subgroups.TITLE, Subgroups),
    }


def _bodies_of(one: Rows[Any], view: View) -> Callable[[], Sequence[Body]]:
    """Return a function that makes the headline, table and remarks of a list."""

    def make() -> list[Body]:
        document = one.document(view)
        return [document.headline, *(body for section in document.sections for body in section.make())]

    return make


def _exported(one: Any, with_records: bool) -> Any:
    """Return the list itself, or the table of its records if records were requested."""
    return one.records if with_records and isinstance(one, ErrorList | Repairs) else one


def _stacked(lists: Mapping[str, dict[str, list[Any]]]) -> dict[str, list[Any]]:
    """Concatenate the rows of several lists; columns that a list lacks are None in its rows."""
    names = list(dict.fromkeys(name for columns in lists.values() for name in columns))
    sizes = {name: len(next(iter(columns.values()))) for name, columns in lists.items()}
    kind = "kind" if "kind" not in names else "error"
    made = {kind: [name.removesuffix("s") for name in lists for _ in range(sizes[name])]}
    for column in names:
        made[column] = [v for name, columns in lists.items() for v in columns.get(column, [None] * sizes[name])]
    return made
