#include "core/memory/hashing.hpp"

#include <random>

namespace clustermark {

std::uint64_t process_seed() {
    static const std::uint64_t seed = [] {
        std::random_device device;
        return (static_cast<std::uint64_t>(device()) << 32) ^ device() ^ 0x5851F42D4C957F2DULL;
    }();
    return seed;
}

}  // namespace clustermark
