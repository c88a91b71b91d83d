// Tests and checks of the core: TEST(name) { CHECK(...); }. A failed check is printed, and the test continues.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <iostream>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "core/memory/strided_view.hpp"
#include "core/numeric/integers.hpp"
#include "core/table/label_view.hpp"

namespace check {

struct Test {
    std::string file;
    std::string name;
    std::function<void()> run;
};

inline std::vector<Test>& tests() {
    static std::vector<Test> all;
    return all;
}

inline int& failures() {
    static int count = 0;
    return count;
}

struct Registration {
    Registration(const char* file, const char* name, void (*run)()) { tests().push_back({file, name, run}); }
};

template <class T>
std::string text(const T& value) {
    if constexpr (std::is_same_v<T, clustermark::u128> || std::is_same_v<T, clustermark::i128>) {
        return std::to_string(static_cast<double>(value)) + " (128 bits)";
    } else if constexpr (std::is_enum_v<T>) {
        return std::to_string(static_cast<long long>(value));
    } else if constexpr (std::is_arithmetic_v<T>) {
        return std::to_string(value);
    } else {
        return "a value";
    }
}

inline void fail(const char* file, int line, const std::string& message) {
    ++failures();
    if (failures() <= 20) std::cerr << file << ":" << line << ": " << message << "\n";
}

template <class A, class B>
void equal(const A& found, const B& wanted, const char* what, const char* file, int line) {
    if (found == wanted) return;
    fail(file, line, std::string(what) + ": found " + text(found) + ", not " + text(wanted));
}

// Checks that a double is as near to an exact value as `relative` allows, or that both are the same infinity.
inline void near(double found, long double wanted, double relative, const char* what, const char* file, int line) {
    if (static_cast<long double>(found) == wanted) return;
    const long double allowed = relative * (std::fabs(wanted) > 0.0L ? std::fabs(wanted) : 1.0L);
    if (std::fabs(static_cast<long double>(found) - wanted) <= allowed) return;
    fail(file, line, std::string(what) + ": found " + std::to_string(found) + ", not " +
                         std::to_string(static_cast<double>(wanted)));
}

// Random numbers that are the same on every platform, unlike the distributions of the standard library.
class Numbers {
public:
    explicit Numbers(std::uint64_t seed) : engine_(seed) {}

    std::uint64_t word() { return engine_(); }
    std::int64_t below(std::int64_t bound) {
        return static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(bound));
    }
    double fraction() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }

private:
    std::mt19937_64 engine_;
};

template <class T>
clustermark::StridedView<T> view_of(const std::vector<T>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size(), sizeof(T)};
}

template <class T>
clustermark::IntView labels_of(const std::vector<T>& values) {
    using clustermark::IntKind;
    constexpr IntKind kinds[2][4] = {{IntKind::u8, IntKind::u16, IntKind::u32, IntKind::u64},
                                     {IntKind::i8, IntKind::i16, IntKind::i32, IntKind::i64}};
    constexpr int width = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return {reinterpret_cast<const char*>(values.data()), values.size(), sizeof(T),
            kinds[std::is_signed_v<T> ? 1 : 0][width]};
}

template <class Sequence>
auto list_of(const Sequence& values) {
    std::vector<std::remove_cvref_t<decltype(values[0])>> list;
    for (std::size_t i = 0; i < values.size(); ++i) list.push_back(values[i]);
    return list;
}

}  // namespace check

#define TEST(name)                                                             \
    static void name();                                                        \
    static const check::Registration registration_of_##name(__FILE__, #name, name); \
    static void name()

#define CHECK(condition) \
    ((condition) ? void() : check::fail(__FILE__, __LINE__, "does not hold: " #condition))
#define CHECK_EQUAL(found, wanted) check::equal(found, wanted, #found, __FILE__, __LINE__)
#define CHECK_NEAR(found, wanted, relative) check::near(found, wanted, relative, #found, __FILE__, __LINE__)
#define CHECK_THROWS(exception, expression)                                              \
    do {                                                                                 \
        bool thrown = false;                                                             \
        try {                                                                            \
            static_cast<void>(expression);                                               \
        } catch (const exception&) {                                                     \
            thrown = true;                                                               \
        }                                                                                \
        if (!thrown) check::fail(__FILE__, __LINE__, #expression " throws no " #exception); \
    } while (false)
