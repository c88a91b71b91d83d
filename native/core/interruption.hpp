// Work that can be stopped: long loops say how far they are, and now and then somebody is asked whether to go on.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <thread>

namespace clustermark {

// Thrown out of work that is to stop; not an error of its own.
struct Interrupted {};

// The work of one call, on all of its threads. Only the thread that was called asks; the others see what it was told.
class Watch {
public:
    using Question = bool (*)();

    explicit Watch(Question stop) : stop_(stop) {}
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    void look_up() {
        if (stopped_.load(std::memory_order_relaxed)) throw Interrupted{};
        if (std::this_thread::get_id() != owner_) return;
        const auto now = std::chrono::steady_clock::now();
        if (now < next_) return;
        next_ = now + period;
        if (!stop_()) return;
        stopped_.store(true, std::memory_order_relaxed);
        throw Interrupted{};
    }

    static constexpr std::chrono::milliseconds period{100};

private:
    Question stop_;
    std::thread::id owner_ = std::this_thread::get_id();
    std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + period;
    std::atomic<bool> stopped_{false};
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

// How far a loop is: it looks up once in so many steps, each of a few nanoseconds.
class Pace {
public:
    void step(std::size_t steps = 1) {
        done_ += steps;
        if (done_ < steps_between) return;
        done_ = 0;
        if (current_watch != nullptr) current_watch->look_up();
    }

private:
    static constexpr std::size_t steps_between = std::size_t{1} << 16;
    std::size_t done_ = 0;
};

}  // namespace clustermark
