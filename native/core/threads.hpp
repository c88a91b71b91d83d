// Running one job on several threads, with errors carried over.
#pragma once

#include <cstddef>
#include <exception>
#include <thread>
#include <utility>
#include <vector>

namespace clustermark {

// How many threads to use for `points` points; requested 0 means as many as pay.
unsigned choose_threads(int requested, std::size_t points);

// The half-open range of `size` items that thread `index` of `threads` works on.
inline std::pair<std::size_t, std::size_t> share(std::size_t size, unsigned index, unsigned threads) {
    const std::size_t whole = size / threads;
    const std::size_t rest = size % threads;
    const std::size_t begin = whole * index + (index < rest ? index : rest);
    return {begin, begin + whole + (index < rest ? 1 : 0)};
}

// Calls job(0) ... job(threads - 1), each once, and rethrows the first error.
template <class Job>
void run_parallel(unsigned threads, Job&& job) {
    if (threads <= 1) {
        job(0U);
        return;
    }
    std::vector<std::exception_ptr> errors(threads);
    auto guarded = [&](unsigned index) noexcept {
        try {
            job(index);
        } catch (...) {
            errors[index] = std::current_exception();
        }
    };
    std::vector<std::thread> helpers;
    helpers.reserve(threads - 1);
    unsigned started = 1;
    try {
        for (; started < threads; ++started) helpers.emplace_back(guarded, started);
    } catch (...) {
        // The system gives no more threads: what is left is done on this one.
    }
    guarded(0);
    for (unsigned index = started; index < threads; ++index) guarded(index);
    for (std::thread& helper : helpers) helper.join();
    for (const std::exception_ptr& error : errors) {
        if (error) std::rethrow_exception(error);
    }
}

}  // namespace clustermark
