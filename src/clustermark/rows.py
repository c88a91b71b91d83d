"""Types of the rows, and of the small values, that results contain; for annotations and isinstance()."""

from clustermark.diagnosis.cluster_table import ClusterRow
from clustermark.diagnosis.confusions import Confusion, Confusions
from clustermark.diagnosis.error_list import ErrorRow, Part
from clustermark.diagnosis.members import ClusterLabels, Member, Members, RecordPair, RecordTable
from clustermark.diagnosis.point_table import PointRecord, PointRow
from clustermark.diagnosis.quality import GroupTable, Quality
from clustermark.diagnosis.repairs.repair_row import Piece, Repair
from clustermark.diagnosis.subgroups import Subgroup, Subgroups
from clustermark.evaluation.best_threshold import BestInterval
from clustermark.evaluation.curves import Choice
from clustermark.evaluation.diagnoses import Diagnosis, ErrorDiagnosis, GroupDiagnosis, RepairDiagnosis
from clustermark.evaluation.differences import Difference
from clustermark.evaluation.internal_evaluation import SilhouetteRow
from clustermark.evaluation.labeling_flows import Flow, Flows
from clustermark.evaluation.leaderboard import Standing
from clustermark.evaluation.pair_accounts import Calibration, FalseMerge, FalseMerges, Losses, RawPairs
from clustermark.evaluation.record import Score
from clustermark.evaluation.threshold_band import BandPoint
from clustermark.registry.index_tables import IndexExplanation, IndexTable
from clustermark.uncertainty.checked_intervals import CheckedInterval

__all__ = [
    "BandPoint",
    "BestInterval",
    "Calibration",
    "CheckedInterval",
    "Choice",
    "ClusterLabels",
    "ClusterRow",
    "Confusion",
    "Confusions",
    "Diagnosis",
    "Difference",
    "ErrorDiagnosis",
    "ErrorRow",
    "FalseMerge",
    "FalseMerges",
    "Flow",
    "Flows",
    "GroupDiagnosis",
    "GroupTable",
    "IndexExplanation",
    "IndexTable",
    "Losses",
    "Member",
    "Members",
    "Part",
    "Piece",
    "PointRecord",
    "PointRow",
    "Quality",
    "RawPairs",
    "RecordPair",
    "RecordTable",
    "Repair",
    "RepairDiagnosis",
    "Score",
    "SilhouetteRow",
    "Standing",
    "Subgroup",
    "Subgroups",
]


def __dir__() -> list[str]:
    return sorted(__all__)
