#include <atomic>
#include <numeric>
#include <stdexcept>

#include "check.hpp"
#include "core/execution/interruptible_sort.hpp"
#include "core/execution/threads.hpp"

using namespace clustermark;

TEST(shares_cover_everything_once_and_evenly) {
    for (const std::size_t size : {0, 1, 7, 64, 1001}) {
        for (const unsigned threads : {1U, 3U, 8U}) {
            std::size_t next = 0;
            for (unsigned i = 0; i < threads; ++i) {
                const auto [begin, end] = share(size, i, threads);
                CHECK_EQUAL(begin, next);
                CHECK(end - begin <= size / threads + 1);
                CHECK(end - begin >= size / threads);
                next = end;
            }
            CHECK_EQUAL(next, size);
        }
    }
}

TEST(threads_are_chosen_by_what_pays) {
    CHECK_EQUAL(choose_threads(0, 100), 1U);
    CHECK_EQUAL(choose_threads(4, 100), 1U);
    CHECK_EQUAL(choose_threads(4, 1 << 20), 4U);
    CHECK(choose_threads(0, std::size_t{1} << 30) >= 1);
    CHECK(choose_threads(100000, std::size_t{1} << 30) <= 256);
}

TEST(every_job_runs_once) {
    for (const unsigned threads : {1U, 2U, 9U}) {
        std::vector<std::atomic<int>> parallel(threads), jobs(50);
        run_parallel(threads, [&](unsigned index) { ++parallel[index]; });
        for_each_job(threads, 50, [&](std::size_t at, StepCounter&) { ++jobs[at]; });
        for (const auto& count : parallel) CHECK_EQUAL(count.load(), 1);
        for (const auto& count : jobs) CHECK_EQUAL(count.load(), 1);
    }
    for_each_job(4, 0, [](std::size_t, StepCounter&) { throw std::runtime_error("there is no job"); });
}

TEST(an_error_on_any_thread_arrives_once_all_have_ended) {
    for (const unsigned bad : {0U, 2U}) {
        std::atomic<int> ended{0};
        const auto job = [&](unsigned index) {
            if (index == bad) throw std::overflow_error("bad");
            ++ended;
        };
        CHECK_THROWS(std::overflow_error, run_parallel(3, job));
        CHECK_EQUAL(ended.load(), 2);
    }
}

TEST(steps_are_reported_as_a_share_of_what_is_expected) {
    std::vector<double> shares;
    CallMonitor monitor([&](double share) { return shares.push_back(share), false; }, std::chrono::milliseconds{0});
    {
        const MonitorScope scope(&monitor);
        StepCounter counter, ignored(StepCounter::Progress::ignored);
        counter.step(1 << 16);
        expect_steps(1 << 18);
        for (int i = 0; i < 1 << 16; ++i) counter.step();
        ignored.step(1 << 17);
        counter.step(1 << 20);
    }
    CHECK(shares == (std::vector<double>{-1.0, 0.5, 0.5, 1.0}));
    CHECK(current_monitor == nullptr);
    StepCounter().step(1 << 20);  // without a monitor
}

TEST(a_monitor_asks_once_in_a_period) {
    int asked = 0;
    CallMonitor monitor([&](double) { return ++asked, false; }, std::chrono::hours{1});
    const MonitorScope scope(&monitor);
    StepCounter counter;
    for (int i = 0; i < 100; ++i) counter.step(1 << 16);
    CHECK_EQUAL(asked, 0);
}

TEST(an_interruption_ends_all_threads) {
    CallMonitor monitor([](double) { return true; }, std::chrono::milliseconds{1});
    const MonitorScope scope(&monitor);
    const auto forever = [](unsigned) {
        for (StepCounter counter;;) counter.step(1 << 10);
    };
    CHECK_THROWS(Interrupted, run_parallel(1, forever));
    CHECK_THROWS(Interrupted, run_parallel(4, forever));
}

TEST(a_caller_that_waits_for_its_helpers_is_interrupted) {
    CallMonitor monitor([](double) { return true; }, std::chrono::milliseconds{1});
    const MonitorScope scope(&monitor);
    CHECK_THROWS(Interrupted, run_parallel(2, [](unsigned index) {
        if (index == 0) return;
        for (StepCounter counter;;) counter.step(1 << 10);
    }));
}

TEST(inner_monitors_end_with_their_scope) {
    CallMonitor outer([](double) { return false; }), inner([](double) { return false; });
    const MonitorScope scope(&outer);
    {
        const MonitorScope other(&inner);
        CHECK(current_monitor == &inner);
    }
    CHECK(current_monitor == &outer);
}

TEST(short_and_long_lists_are_sorted_and_long_ones_interrupted) {
    check::Numbers numbers(1);
    for (const std::size_t size : {std::size_t{100}, (std::size_t{1} << 20) + 3}) {
        std::vector<std::uint64_t> list(size);
        for (auto& one : list) one = numbers.word() % 1000;
        auto sorted = list;
        std::sort(sorted.begin(), sorted.end(), std::greater<>());
        sort_interruptibly(list.begin(), list.end(), std::greater<>());
        CHECK(list == sorted);
    }
    std::vector<std::uint64_t> list(std::size_t{1} << 20);
    for (auto& one : list) one = numbers.word();
    CallMonitor monitor([](double) { return true; }, std::chrono::milliseconds{0});
    const MonitorScope scope(&monitor);
    CHECK_THROWS(Interrupted, sort_interruptibly(list.begin(), list.end(), std::less<>()));
}
