// Owned memory that is not zeroed and never larger than requested.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace clustermark {

enum class PageSize { any, small };

// std::vector writes zeros first and keeps unused capacity after growing, which costs time and memory for ten million
// points.
template <class T>
class Buffer {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    static constexpr std::size_t huge_page = std::size_t{1} << 21;

    Buffer() = default;

    explicit Buffer(std::size_t size, PageSize pages = PageSize::any) : size_(size) {
        if (size == 0) return;
        if (size > std::numeric_limits<std::size_t>::max() / sizeof(T) - alignment) throw std::bad_alloc();
        const std::size_t bytes = size * sizeof(T);
        data_ = static_cast<T*>(allocate(bytes, pages));
        if (data_ == nullptr) throw std::bad_alloc();
    }

    Buffer(Buffer&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

    Buffer& operator=(Buffer&& other) noexcept {
        if (this != &other) {
            std::free(data_);
            data_ = std::exchange(other.data_, nullptr);
            size_ = std::exchange(other.size_, 0);
        }
        return *this;
    }

    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() { std::free(data_); }

    static Buffer zeros(std::size_t size) {
        Buffer buffer;
        if (size == 0) return buffer;
        if (size >= pays / sizeof(T)) {  // buffers of zeros are mostly accessed in random order
            buffer = Buffer(size);
            std::memset(static_cast<void*>(buffer.data_), 0, size * sizeof(T));
            return buffer;
        }
        buffer.data_ = static_cast<T*>(std::calloc(size, sizeof(T)));  // fresh pages are zero already
        if (buffer.data_ == nullptr) throw std::bad_alloc();
        buffer.size_ = size;
        return buffer;
    }

    static Buffer filled(std::size_t size, T value) {
        Buffer buffer(size);
        for (std::size_t i = 0; i < size; ++i) buffer.data_[i] = value;
        return buffer;
    }

    // Releases memory if fewer elements are needed.
    void shrink(std::size_t size) {
        if (size >= size_) return;
        if (size == 0) {
            *this = Buffer();
            return;
        }
        size_ = size;
        if (void* smaller = std::realloc(static_cast<void*>(data_), size * sizeof(T))) data_ = static_cast<T*>(smaller);
    }

    T* data() { return data_; }
    const T* data() const { return data_; }
    T* begin() { return data_; }
    T* end() { return data_ + size_; }
    const T* begin() const { return data_; }
    const T* end() const { return data_ + size_; }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T& operator[](std::size_t i) { return data_[i]; }
    const T& operator[](std::size_t i) const { return data_[i]; }

private:
    static constexpr std::size_t alignment = 64;
    static constexpr std::size_t pays = 2 * huge_page;

    // Large buffers use huge pages: without them, scattered writes spend most of their time in page faults.
    static void* allocate(std::size_t bytes, PageSize pages) {
        if (bytes < 1024) return std::malloc(bytes);  // larger buffers are aligned to cache lines
        const bool huge = pages == PageSize::any && bytes >= pays;
        const std::size_t boundary = huge ? huge_page : alignment;
        void* memory = std::aligned_alloc(boundary, (bytes + boundary - 1) / boundary * boundary);
#if defined(__linux__) && defined(MADV_HUGEPAGE)
        if (huge && memory != nullptr) madvise(memory, bytes / huge_page * huge_page, MADV_HUGEPAGE);
#endif
        return memory;
    }

    T* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace clustermark
