// Cross-tabulation of two arrays of labels.
#pragma once

#include "core/table/cells.hpp"
#include "core/table/point_payloads.hpp"

namespace clustermark {

// Both arrays have the same length, and so have the payloads. Throws std::invalid_argument for payloads
// that are negative or not finite, and std::overflow_error for sums that do not fit.
Cells crosstab(const IntView& y_true, const IntView& y_pred, const Payloads& payloads, int threads);

}  // namespace clustermark
