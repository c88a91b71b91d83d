"""What to mend first: edits that mend a prediction, the best first."""

from clustermark.diagnosis.repairs.repair_list import Repair, Repairs

__all__ = ["Repair", "Repairs"]
