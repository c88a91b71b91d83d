#include "core/execution/threads.hpp"

#include <algorithm>

namespace clustermark {

namespace {
constexpr std::size_t points_that_pay = std::size_t{1} << 17;  // below, starting threads costs more than they save
constexpr std::size_t least_share = std::size_t{1} << 10;      // fewest points of a thread, if the caller requests many
constexpr unsigned most_threads = 16;  // beyond that, memory bandwidth is the limit
}  // namespace

unsigned choose_threads(int requested, std::size_t points) {
    if (requested == 0) {
        if (points < points_that_pay) return 1;
        return std::clamp(std::thread::hardware_concurrency(), 1U, most_threads);
    }
    const std::size_t useful = std::max<std::size_t>(points / least_share, 1);
    return static_cast<unsigned>(std::min<std::size_t>({static_cast<std::size_t>(requested), useful, 256}));
}

}  // namespace clustermark
