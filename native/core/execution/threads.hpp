// Running one job on several threads; errors are rethrown in the calling thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "core/execution/interruption.hpp"

namespace clustermark {

// The number of threads to use for `points` points. requested: 0 for as many as save time.
unsigned choose_threads(int requested, std::size_t points);

// The half-open range of `size` items that thread `index` of `threads` works on.
inline std::pair<std::size_t, std::size_t> share(std::size_t size, unsigned index, unsigned threads) {
    const std::size_t whole = size / threads;
    const std::size_t rest = size % threads;
    const std::size_t begin = whole * index + (index < rest ? index : rest);
    return {begin, begin + whole + (index < rest ? 1 : 0)};
}

// The additional threads. The calling thread waits for them, and checks the monitor meanwhile.
class Helpers {
public:
    explicit Helpers(std::size_t most) { helpers_.reserve(most); }

    void add(std::thread helper) { helpers_.push_back(std::move(helper)); }

    void leave() {
        const std::lock_guard<std::mutex> held(lock_);
        ++left_;
        changed_.notify_one();
    }

    // Waits for every helper, then throws Interrupted if the monitor has stopped the work.
    void join() {
        std::exception_ptr interrupted;
        for (std::unique_lock<std::mutex> held(lock_); left_ < helpers_.size();) {
            changed_.wait_for(held, CallMonitor::usual_period);
            try {
                if (!interrupted && current_monitor != nullptr) current_monitor->check();
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
    CallMonitor* const monitor = current_monitor;
    auto help = [&](unsigned index) noexcept {
        const MonitorScope scope(monitor);
        guarded(index);
        helpers.leave();
    };
    unsigned started = 1;
    try {
        for (; started < threads; ++started) helpers.add(std::thread(help, started));
    } catch (...) {
        // The system has no more threads: this one does the remaining jobs.
    }
    guarded(0);
    for (unsigned index = started; index < threads; ++index) guarded(index);
    helpers.join();
    for (const std::exception_ptr& error : errors) {
        if (error) std::rethrow_exception(error);
    }
}

// Calls job(at, counter) once for each `at` below `jobs`, on at most `workers` threads that take the next job when they
// have finished one.
template <class Job>
void for_each_job(unsigned workers, std::size_t jobs, Job&& job) {
    const std::size_t useful = std::min<std::size_t>(workers, std::max<std::size_t>(jobs, 1));
    std::atomic<std::size_t> next{0};
    run_parallel(static_cast<unsigned>(useful), [&](unsigned) {
        StepCounter counter;
        for (std::size_t at = next++; at < jobs; at = next++) job(at, counter);
    });
}

}  // namespace clustermark
