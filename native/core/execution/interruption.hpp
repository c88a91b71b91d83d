// Interruption and progress of long work. Loops count their steps; every 100 ms the thread that made the call reports
// progress and asks whether to continue. All entry points of the kernel use this mechanism.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <thread>
#include <utility>

namespace clustermark {

// Thrown to stop work. It carries no message: the function that decided to stop has set the error.
struct Interrupted {};

// The work of one call, on all of its threads. Only the thread that made the call asks the question; the others read its
// answer.
class CallMonitor {
public:
    // Receives the share of the work that is done, or -1 where it is unknown; returns whether to stop.
    using Question = std::function<bool(double)>;

    // A tenth of a second feels immediate, and a question costs microseconds (it has to acquire the interpreter lock).
    static constexpr std::chrono::milliseconds usual_period{100};

    explicit CallMonitor(Question must_stop, std::chrono::milliseconds period = usual_period)
        : must_stop_(std::move(must_stop)), period_(period) {}
    CallMonitor(const CallMonitor&) = delete;
    CallMonitor& operator=(const CallMonitor&) = delete;

    // Sets the number of steps of the work, in the unit of `StepCounter`. To be called before its threads start.
    void expect(std::size_t steps) { expected_ = steps; }

    // Adds steps that are done. Throws Interrupted if the work must stop.
    void check(std::size_t steps = 0) {
        done_.fetch_add(steps, std::memory_order_relaxed);
        if (stopped_.load(std::memory_order_relaxed)) throw Interrupted{};
        if (std::this_thread::get_id() != owner_) return;
        const auto now = std::chrono::steady_clock::now();
        if (next_ == std::chrono::steady_clock::time_point{}) next_ = now + period_;  // short calls never read the clock
        if (now < next_) return;
        next_ = now + period_;
        if (!must_stop_(share())) return;
        stopped_.store(true, std::memory_order_relaxed);
        throw Interrupted{};
    }

private:
    double share() const {
        if (expected_ == 0) return -1.0;
        const std::size_t done = std::min(done_.load(std::memory_order_relaxed), expected_);
        return static_cast<double>(done) / static_cast<double>(expected_);
    }

    Question must_stop_;
    std::chrono::milliseconds period_;
    std::thread::id owner_ = std::this_thread::get_id();
    std::chrono::steady_clock::time_point next_{};  // of the next question, from the first check on
    std::atomic<bool> stopped_{false};
    std::atomic<std::size_t> done_{0};
    std::size_t expected_ = 0;
};

// The monitor of the work of this thread; null where nothing can interrupt it.
inline thread_local CallMonitor* current_monitor = nullptr;

// Sets the monitor of this thread during the lifetime of the object.
class MonitorScope {
public:
    explicit MonitorScope(CallMonitor* monitor) : before_(current_monitor) { current_monitor = monitor; }
    ~MonitorScope() { current_monitor = before_; }
    MonitorScope(const MonitorScope&) = delete;
    MonitorScope& operator=(const MonitorScope&) = delete;

private:
    CallMonitor* before_;
};

// Announces the number of steps of the current call.
inline void expect_steps(std::size_t steps) {
    if (current_monitor != nullptr) current_monitor->expect(steps);
}

// Counts the steps of a loop, each of a few nanoseconds, and checks the monitor now and then.
class StepCounter {
public:
    // Whether the steps are part of the progress; steps whose number is not known in advance are not.
    enum class Progress : bool { ignored, counted };

    explicit StepCounter(Progress progress = Progress::counted) : progress_(progress) {}

    void step(std::size_t steps = 1) {
        done_ += steps;
        if (done_ < steps_between) return;
        if (current_monitor != nullptr) current_monitor->check(progress_ == Progress::counted ? done_ : 0);
        done_ = 0;
    }

private:
    // A check reads a clock (about 30 ns), which disappears among this many steps; they take less than a millisecond.
    static constexpr std::size_t steps_between = std::size_t{1} << 16;
    std::size_t done_ = 0;
    Progress progress_;
};

// Calls body(i) for each i from begin to end, a step each. The inner loop has no counter, so that it can be vectorised.
// Always inlined: otherwise the captured variables of the body are read again for each i.
template <class Body>
[[gnu::always_inline]] inline void for_each_step(std::size_t begin, std::size_t end, Body&& body) {
    constexpr std::size_t block = 4096;
    StepCounter counter;
    for (std::size_t at = begin; at < end; at += block) {
        const std::size_t until = std::min(at + block, end);
        for (std::size_t i = at; i < until; ++i) body(i);
        counter.step(until - at);
    }
}

}  // namespace clustermark
