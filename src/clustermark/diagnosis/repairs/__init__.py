"""Edits that correct a prediction, the best first."""

from clustermark.diagnosis.repairs.repair_list import Repairs
from clustermark.diagnosis.repairs.repair_row import Repair

__all__ = ["Repair", "Repairs"]
