#include <cstring>
#include <set>

#include "check.hpp"
#include "core/memory/bounded_list.hpp"
#include "core/memory/buffer.hpp"
#include "core/memory/hashing.hpp"
#include "core/memory/matrix_view.hpp"

using namespace clustermark;

TEST(a_buffer_keeps_its_values_when_it_moves_and_shrinks) {
    for (const std::size_t size : {std::size_t{1}, std::size_t{1000}, std::size_t{1} << 20}) {
        Buffer<std::int64_t> first(size);
        for (std::size_t i = 0; i < size; ++i) first[i] = static_cast<std::int64_t>(i);
        Buffer<std::int64_t> second(std::move(first));
        CHECK_EQUAL(second.size(), size);
        second.shrink(size + 5);
        CHECK_EQUAL(second.size(), size);
        second.shrink((size + 1) / 2);
        CHECK_EQUAL(second.size(), (size + 1) / 2);
        bool same = true;
        for (std::size_t i = 0; i < second.size(); ++i) same &= second[i] == static_cast<std::int64_t>(i);
        CHECK(same);
        second.shrink(0);
        CHECK(second.empty());
    }
}

TEST(zeros_and_filled_buffers) {
    for (const std::size_t size : {std::size_t{0}, std::size_t{7}, std::size_t{1} << 20}) {
        const auto zeros = Buffer<std::int64_t>::zeros(size);
        const auto sevens = Buffer<std::int32_t>::filled(size, 7);
        CHECK_EQUAL(zeros.size(), size);
        CHECK_EQUAL(sevens.size(), size);
        bool same = true;
        for (std::size_t i = 0; i < size; ++i) same &= zeros[i] == 0 && sevens[i] == 7;
        CHECK(same);
    }
}

TEST(more_memory_than_there_is_is_refused) {
    CHECK_THROWS(std::bad_alloc, Buffer<double>(SIZE_MAX / 4));
}

TEST(a_large_buffer_starts_on_a_cache_line) {
    const Buffer<double> buffer(1000);
    CHECK_EQUAL(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64, std::uintptr_t{0});
}

TEST(a_bounded_list_holds_what_was_pushed) {
    BoundedList<int> list;
    list.reserve(4);
    CHECK(list.empty());
    list.push_back(1);
    list.push_back_if(false, 2);
    list.push_back_if(true, 3);
    CHECK_EQUAL(list.size(), std::size_t{2});
    CHECK_EQUAL(list.back(), 3);
    const Buffer<int> taken = list.take();
    CHECK(check::list_of(taken) == (std::vector<int>{1, 3}));
    CHECK(list.empty());
}

TEST(views_of_any_stride_and_alignment) {
    char bytes[41];
    for (int i = 0; i < 5; ++i) {
        const std::int32_t value = 100 + i;
        std::memcpy(bytes + 1 + 8 * i, &value, 4);
    }
    const StridedView<std::int32_t> forward{bytes + 1, 5, 8}, backward{bytes + 33, 5, -8};
    for (std::size_t i = 0; i < 5; ++i) {
        CHECK_EQUAL(forward[i], 100 + static_cast<std::int32_t>(i));
        CHECK_EQUAL(backward[i], 104 - static_cast<std::int32_t>(i));
    }
}

TEST(matrices_of_any_strides_and_both_precisions) {
    const double doubles[2][3] = {{0, 1, 2}, {3, 4, 5}};
    const float floats[2][3] = {{0, 1, 2}, {3, 4, 5}};
    const MatrixView rows{reinterpret_cast<const char*>(doubles), 2, 3, 24, 8, false};
    const MatrixView transposed{reinterpret_cast<const char*>(doubles), 3, 2, 8, 24, false};
    const MatrixView single{reinterpret_cast<const char*>(floats), 2, 3, 12, 4, true};
    double row[3];
    single.read_row(1, row);
    CHECK(row[0] == 3 && row[1] == 4 && row[2] == 5);
    transposed.read_row(2, row);
    CHECK(row[0] == 2 && row[1] == 5);
    for (std::size_t i = 0; i < 2; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
            CHECK_EQUAL(rows.at(i, j), doubles[i][j]);
            CHECK_EQUAL(single.at(i, j), doubles[i][j]);
            CHECK_EQUAL(transposed.at(j, i), doubles[i][j]);
        }
    }
}

TEST(hashes_depend_on_every_byte_the_width_and_the_seed) {
    CHECK_EQUAL(process_seed(), process_seed());
    unsigned char bytes[20] = {};
    std::set<std::uint64_t> seen;
    for (std::size_t width = 1; width <= 20; ++width) seen.insert(mix_bytes(bytes, width, 1));
    for (std::size_t i = 0; i < 20; ++i) {
        bytes[i] = 1;
        seen.insert(mix_bytes(bytes, 20, 1));
        bytes[i] = 0;
    }
    seen.insert(mix_bytes(bytes, 20, 2));
    CHECK_EQUAL(seen.size(), std::size_t{41});
    CHECK(mix(1, 5) != mix(2, 5));
    CHECK(mix(1, 5) != mix(1, 6));
}
