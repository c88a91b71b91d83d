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

// Compares labels as a dict does; None and float NaN get -1, and so does what `inspect` says yes to.
ObjectEncoding encode_objects(nanobind::handle labels, nanobind::handle inspect);

}  // namespace clustermark
