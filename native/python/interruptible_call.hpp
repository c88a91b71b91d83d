// Calls of the kernel that end at Ctrl-C, or at any signal whose handler raises an error.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <utility>

#include "core/execution/interruption.hpp"

namespace clustermark {

// During its lifetime the loops of the core check for signals and report progress. The lock may be held or released.
class InterruptibleCall {
public:
    // progress: None, or a function that is called from time to time with the share of the work that is done.
    explicit InterruptibleCall(nanobind::handle progress = {})
        : monitor_([progress](double share) { return must_stop(progress, share); }) {}

private:
    // Whether the handler of a signal, or the function, raised an error. The error stays set; a translator of exceptions
    // (module.cpp) turns `Interrupted` into it.
    static bool must_stop(nanobind::handle progress, double share) {
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

    CallMonitor monitor_;
    MonitorScope scope_{&monitor_};
};

// An interruptible call without the interpreter lock. Work of the bindings with the lock held is not interruptible: it is
// at most one pass over each argument and each result, a few nanoseconds per element.
class InterruptibleGilRelease {
public:
    explicit InterruptibleGilRelease(nanobind::handle progress = {}) : call_(progress) {}

private:
    InterruptibleCall call_;
    nanobind::gil_scoped_release released_;
};

// The result of work(), which runs without the lock.
template <class Work>
auto run_without_gil(Work&& work, nanobind::handle progress = {}) {
    const InterruptibleGilRelease released(progress);
    return std::forward<Work>(work)();
}

// The same for work on `size` elements; work on few elements ends before another thread could use the lock, and keeps it.
template <class Work>
auto run_without_gil_if_long(std::size_t size, Work&& work) {
    constexpr std::size_t few = 4096;
    return size > few ? run_without_gil(work) : work();
}

}  // namespace clustermark
