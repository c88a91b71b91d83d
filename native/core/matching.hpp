// Makes the problem of matching rows and columns one to one smaller, by fixing cells that a best matching may contain.
#pragma once

#include <string_view>

#include "cells.hpp"

namespace clustermark {

struct Shrunk {
    Buffer<std::int64_t> fixed;  // entries, ascending
    Buffer<std::int64_t> rest;   // likewise
    Buffer<double> rest_weights;
};

// Throws std::invalid_argument for a worth that is not known.
Shrunk shrink(const Cells& cells, std::string_view worth);

}  // namespace clustermark
