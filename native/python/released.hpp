// Work without the interpreter lock that Ctrl-C, or any signal whose handler raises, ends.
#pragma once

#include <nanobind/nanobind.h>

#include "../core/interruption.hpp"

namespace clustermark {

class Released {
public:
    // progress: None, or a function that is told now and then what share of the work is done.
    explicit Released(nanobind::handle progress = {})
        : watch_([progress](double share) { return has_to_stop(progress, share); }) {}

private:
    // Whether a handler of a signal raised, or the function did; the error stays set, and a translator lets it through
    // when `Interrupted` arrives.
    static bool has_to_stop(nanobind::handle progress, double share) {
        const nanobind::gil_scoped_acquire held;
        if (PyErr_CheckSignals() != 0) return true;
        if (!progress.is_valid() || progress.is_none() || share < 0.0) return false;
        try {
            progress(share);
            return false;
        } catch (nanobind::python_error& error) {
            error.restore();
            return true;
        }
    }

    Watch watch_;
    UnderWatch under_{&watch_};
    nanobind::gil_scoped_release released_;
};

}  // namespace clustermark
