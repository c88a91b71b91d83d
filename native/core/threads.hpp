// Running one job on several threads, with errors carried over.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "interruption.hpp"

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

// Counts helpers down; whoever waits for them looks up meanwhile.
class Helpers {
public:
    explicit Helpers(std::size_t most) { helpers_.reserve(most); }

    void add(std::thread helper) { helpers_.push_back(std::move(helper)); }

    void leave() {
        const std::lock_guard<std::mutex> held(lock_);
        ++left_;
        changed_.notify_one();
    }

    // Every helper has left before this ends; what the watch says comes after.
    void join() {
        std::exception_ptr interrupted;
        for (std::unique_lock<std::mutex> held(lock_); left_ < helpers_.size();) {
            changed_.wait_for(held, Watch::period);
            try {
                if (!interrupted && current_watch != nullptr) current_watch->look_up();
            } catch (const Interrupted&) {
                interrupted = std::current_exception();
            }
        }
        for (std::thread& helper : helpers_) helper.join();
        if (interrupted) std::rethrow_exception(interrupted);
    }

private:
    std::vector<std::thread> helpers_;
    std::mutex lock_;
    std::condition_variable changed_;
    std::size_t left_ = 0;
};

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
    Helpers helpers(threads - 1);
    Watch* const watch = current_watch;
    auto help = [&](unsigned index) noexcept {
        const UnderWatch under(watch);
        guarded(index);
        helpers.leave();
    };
    unsigned started = 1;
    try {
        for (; started < threads; ++started) helpers.add(std::thread(help, started));
    } catch (...) {
        // The system gives no more threads: what is left is done on this one.
    }
    guarded(0);
    for (unsigned index = started; index < threads; ++index) guarded(index);
    helpers.join();
    for (const std::exception_ptr& error : errors) {
        if (error) std::rethrow_exception(error);
    }
}

}  // namespace clustermark
