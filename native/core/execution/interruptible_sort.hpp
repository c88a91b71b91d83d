// Sorting of long lists that can be interrupted.
#pragma once

#include <algorithm>
#include <cstddef>

#include "core/execution/interruption.hpp"

namespace clustermark {

template <class Iterator, class Before>
void sort_interruptibly(Iterator begin, Iterator end, Before&& before) {
    constexpr std::ptrdiff_t long_list = std::ptrdiff_t{1} << 20;  // sorted in about a tenth of a second
    if (end - begin < long_list) {
        std::sort(begin, end, before);
        return;
    }
    StepCounter counter(StepCounter::Progress::ignored);
    std::sort(begin, end, [&](const auto& one, const auto& other) {
        counter.step();
        return before(one, other);
    });
}

}  // namespace clustermark
