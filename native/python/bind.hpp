// The parts of the module that have a file of their own.
#pragma once

#include <nanobind/nanobind.h>

namespace clustermark {

// joint, best and shrink.
void bind_shares(nanobind::module_& module);

// Mutual information of random tables.
void bind_information(nanobind::module_& module);

// The classes of points, and how their values vary together.
void bind_ranking(nanobind::module_& module);

// Random tables, and the terms of expected mutual information.
void bind_sampling(nanobind::module_& module);

// Scored pairs, closed from the highest score down.
void bind_sweep(nanobind::module_& module);

// Points in space and their clusters.
void bind_geometry(nanobind::module_& module);

// Trees over the same leaves.
void bind_trees(nanobind::module_& module);

}  // namespace clustermark
