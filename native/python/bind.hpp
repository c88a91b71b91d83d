// The parts of the module: one file for each subject of the core.
#pragma once

#include <nanobind/nanobind.h>

namespace clustermark {

void bind_table(nanobind::module_& module);
void bind_statistics(nanobind::module_& module);
void bind_matching(nanobind::module_& module);
void bind_information(nanobind::module_& module);
void bind_sweep(nanobind::module_& module);
void bind_geometry(nanobind::module_& module);
void bind_trees(nanobind::module_& module);
void bind_numeric(nanobind::module_& module);

}  // namespace clustermark
