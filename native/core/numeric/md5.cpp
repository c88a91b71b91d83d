#include "core/numeric/md5.hpp"

#include <charconv>
#include <stdexcept>

#include "core/execution/threads.hpp"

namespace clustermark {

namespace {

constexpr std::size_t longest_number = 20;  // digits and sign of an int64
constexpr std::size_t steps_per_digest = 64;

}  // namespace

Buffer<std::uint64_t> digest_integers(const std::string& prefix, const StridedView<std::int64_t>& values, int threads) {
    if (prefix.size() + longest_number > ShortMd5::longest) {
        throw std::invalid_argument("prefix must have at most 35 bytes");
    }
    Buffer<std::uint64_t> digests(2 * values.size);
    const unsigned workers = choose_threads(threads, values.size * steps_per_digest);
    run_parallel(workers, [&](unsigned index) {
        ShortMd5 md5;
        StepCounter counter;
        const auto [first, last] = share(values.size, index, workers);
        for (std::size_t i = first; i < last; ++i) {
            std::memcpy(md5.text(), prefix.data(), prefix.size());
            char* const begin = md5.text() + prefix.size();
            char* const end = std::to_chars(begin, begin + longest_number, values[i]).ptr;
            const Digest digest = md5.digest(static_cast<std::size_t>(end - md5.text()));
            digests[2 * i] = digest.head;
            digests[2 * i + 1] = digest.tail;
            counter.step(steps_per_digest);
        }
    });
    return digests;
}

}  // namespace clustermark
