// Codes for arbitrary Python objects.
#pragma once

#include <cstdint>

#include <nanobind/nanobind.h>

#include "core/memory/buffer.hpp"

namespace clustermark {

struct ObjectEncoding {
    Buffer<std::int32_t> codes;
    nanobind::list labels;
};

// Compares labels as a dict does. None, float NaN and labels for which `inspect` returns true get -1.
ObjectEncoding encode_objects(nanobind::handle labels, nanobind::handle inspect);

}  // namespace clustermark
