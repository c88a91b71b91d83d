// Work that can be stopped: long loops say how far they are, and now and then somebody is told and asked whether to go on.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <thread>
#include <utility>

namespace clustermark {

// Thrown out of work that is to stop; not an error of its own.
struct Interrupted {};

// The work of one call, on all of its threads. Only the thread that was called asks; the others see what it was told.
class Watch {
public:
    // Is told what share of the work is done, -1 where nobody knows, and says whether to stop.
    using Question = std::function<bool(double)>;

    explicit Watch(Question stop) : stop_(std::move(stop)) {}
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    // How many steps the work will take, as loops count them; said before its threads begin.
    void expect(std::size_t steps) { expected_ = steps; }

    void look_up(std::size_t steps = 0) {
        done_.fetch_add(steps, std::memory_order_relaxed);
        if (stopped_.load(std::memory_order_relaxed)) throw Interrupted{};
        if (std::this_thread::get_id() != owner_) return;
        const auto now = std::chrono::steady_clock::now();
        if (now < next_) return;
        next_ = now + period;
        if (!stop_(share())) return;
        stopped_.store(true, std::memory_order_relaxed);
        throw Interrupted{};
    }

    static constexpr std::chrono::milliseconds period{100};

private:
    double share() const {
        if (expected_ == 0) return -1.0;
        const std::size_t done = std::min(done_.load(std::memory_order_relaxed), expected_);
        return static_cast<double>(done) / static_cast<double>(expected_);
    }

    Question stop_;
    std::thread::id owner_ = std::this_thread::get_id();
    std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + period;
    std::atomic<bool> stopped_{false};
    std::atomic<std::size_t> done_{0};
    std::size_t expected_ = 0;
};

// The watch that this thread works under; none where nobody can interrupt.
inline thread_local Watch* current_watch = nullptr;

// Works under a watch until the end of its life.
class UnderWatch {
public:
    explicit UnderWatch(Watch* watch) : before_(current_watch) { current_watch = watch; }
    ~UnderWatch() { current_watch = before_; }
    UnderWatch(const UnderWatch&) = delete;
    UnderWatch& operator=(const UnderWatch&) = delete;

private:
    Watch* before_;
};

// How many steps the work of this thread's watch will take.
inline void expect_steps(std::size_t steps) {
    if (current_watch != nullptr) current_watch->expect(steps);
}

// How far a loop is: it looks up once in so many steps, each of a few nanoseconds.
class Pace {
public:
    void step(std::size_t steps = 1) {
        done_ += steps;
        if (done_ < steps_between) return;
        if (current_watch != nullptr) current_watch->look_up(done_);
        done_ = 0;
    }

private:
    static constexpr std::size_t steps_between = std::size_t{1} << 16;
    std::size_t done_ = 0;
};

}  // namespace clustermark
