"""Old against new: what changed between two clusterings of the same records, and ids that last."""
