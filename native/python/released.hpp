// Work without the interpreter lock that Ctrl-C, or any signal whose handler raises, ends.
#pragma once

#include <nanobind/nanobind.h>

#include "../core/interruption.hpp"

namespace clustermark {

// Whether a handler raised; its error stays set, and a translator lets it through when `Interrupted` arrives.
inline bool has_signal() {
    const nanobind::gil_scoped_acquire held;
    return PyErr_CheckSignals() != 0;
}

class Released {
    Watch watch_{&has_signal};
    UnderWatch under_{&watch_};
    nanobind::gil_scoped_release released_;
};

}  // namespace clustermark
