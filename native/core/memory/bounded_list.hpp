#pragma once

#include <cstddef>
#include <utility>

#include "core/memory/buffer.hpp"

namespace clustermark {

// A list with a known bound of its length. Its elements never move, and it uses huge pages.
template <class T>
class BoundedList {
public:
    void reserve(std::size_t most) {
        room_ = Buffer<T>(most);
        size_ = 0;
    }
    void push_back(T value) { room_[size_++] = value; }
    void push_back_if(bool wanted, T value) {
        room_[size_] = value;
        size_ += wanted;
    }
    T operator[](std::size_t i) const { return room_[i]; }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T back() const { return room_[size_ - 1]; }

    Buffer<T> take() {
        room_.shrink(std::exchange(size_, 0));
        return std::move(room_);
    }

private:
    Buffer<T> room_;
    std::size_t size_ = 0;
};

}  // namespace clustermark
