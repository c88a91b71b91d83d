// The Python module clustermark._kernel. Each bind_*.cpp checks arguments, releases the interpreter lock, calls the core
// and returns NumPy arrays.
#include <nanobind/nanobind.h>

#include <stdexcept>

#include "core/execution/interruption.hpp"
#include "core/table/cells.hpp"
#include "python/bind.hpp"

namespace nb = nanobind;

namespace {

// To take the interpreter lock again, nanobind and NumPy use a call that waits forever in other interpreters.
void require_main_interpreter() {
    if (PyInterpreterState_Get() == PyInterpreterState_Main()) return;
    throw std::runtime_error("clustermark works in the main interpreter only; import it there, or in another process");
}

}  // namespace

NB_MODULE(_kernel, module) {
    using namespace clustermark;
    require_main_interpreter();
    nb::set_leak_warnings(false);  // tables that live until the process ends are no leak
    module.doc() = "The compiled kernel: encoding, cross-tabulation, sums over cells.";
    module.attr("LONE") = lone;
    module.attr("ABSENT") = absent;
    nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
        try {
            std::rethrow_exception(thrown);
        } catch (const Interrupted&) {
            // the handler of the signal, or the caller's function, has set the error
        }
    });
    bind_table(module);
    bind_statistics(module);
    bind_matching(module);
    bind_information(module);
    bind_sweep(module);
    bind_geometry(module);
    bind_trees(module);
    bind_numeric(module);
}
