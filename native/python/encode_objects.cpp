#include "python/encode_objects.hpp"

#include <cmath>
#include <cstring>
#include <optional>
#include <vector>

#include "core/memory/hashing.hpp"
#include "core/numeric/integers.hpp"
#include "core/table/hash_encoding.hpp"
#include "python/inputs.hpp"
#include "python/interruptible_call.hpp"

namespace nb = nanobind;

namespace clustermark {

namespace {

constexpr std::int32_t missing = -1;

// Types whose hash and comparison run neither user code nor code that could let other threads run.
bool is_builtin(PyObject* object) {
    return PyUnicode_CheckExact(object) || PyLong_CheckExact(object) || PyFloat_CheckExact(object) ||
           PyBool_Check(object) || object == Py_None;
}

bool is_nan(PyObject* object) { return PyFloat_Check(object) && std::isnan(PyFloat_AS_DOUBLE(object)); }

// Labels that are never missing, so `inspect` is not called for them.
bool is_ordinary(PyObject* object) {
    if (PyUnicode_CheckExact(object) || PyLong_CheckExact(object) || PyBool_Check(object)) return true;
    if (!PyFloat_CheckExact(object)) return false;
    const double value = PyFloat_AS_DOUBLE(object);
    return std::isfinite(value) && value == std::floor(value);
}

bool same_text(PyObject* a, PyObject* b) {
    const Py_ssize_t length = PyUnicode_GET_LENGTH(a);
    const auto kind = PyUnicode_KIND(a);
    return length == PyUnicode_GET_LENGTH(b) && kind == PyUnicode_KIND(b) &&
           std::memcmp(PyUnicode_DATA(a), PyUnicode_DATA(b), static_cast<std::size_t>(length) * kind) == 0;
}

// The elements of a list, a tuple or an object array, which user code may change between two reads.
class Elements {
public:
    explicit Elements(nb::handle labels) : owner_(nb::borrow(labels)) {
        if (PyList_Check(labels.ptr())) {
            list_ = labels.ptr();
            size_ = PyList_GET_SIZE(list_);
        } else if (PyTuple_Check(labels.ptr())) {
            tuple_ = labels.ptr();
            size_ = PyTuple_GET_SIZE(tuple_);
        } else {
            array_.emplace(labels, "labels", "a list, a tuple or a one-dimensional object array");
            view_ = array_->objects();
            size_ = static_cast<Py_ssize_t>(view_.size);
        }
    }

    Py_ssize_t size() const { return size_; }

    // A borrowed reference, valid until other code runs.
    PyObject* operator[](Py_ssize_t i) const {
        if (list_ != nullptr) {
            if (PyList_GET_SIZE(list_) != size_) {
                PyErr_SetString(PyExc_RuntimeError, "list of labels changed size during encoding");
                throw nb::python_error();
            }
            return PyList_GET_ITEM(list_, i);
        }
        if (tuple_ != nullptr) return PyTuple_GET_ITEM(tuple_, i);
        PyObject* element = view_[static_cast<std::size_t>(i)];
        return element == nullptr ? Py_None : element;  // a fresh object array holds null pointers
    }

private:
    nb::object owner_;
    PyObject* list_ = nullptr;
    PyObject* tuple_ = nullptr;
    std::optional<HeldArray> array_;
    StridedView<PyObject*> view_;
    Py_ssize_t size_ = 0;
};

struct Entry {
    nb::object label;  // keeps it alive
    Py_hash_t hash;
    std::int32_t code;
};

// Codes of recent objects, by address. An address is valid only until other code runs, which may free the object and put
// another in its place; `forget` invalidates all at once.
class AddressCache {
public:
    AddressCache() : slots_(Buffer<Slot>::zeros(size)) {}

    bool find(PyObject* object, std::int32_t& code) const {
        const Slot& slot = slots_[place(object)];
        if (slot.object != object || slot.era != era_) return false;
        code = slot.code;
        return true;
    }
    void put(PyObject* object, std::int32_t code) { slots_[place(object)] = {object, era_, code}; }
    void forget() { ++era_; }

private:
    struct Slot {
        PyObject* object;
        std::uint64_t era;
        std::int32_t code;
    };
    static constexpr std::size_t size = 1024;
    static std::size_t place(PyObject* object) {
        return (reinterpret_cast<std::uintptr_t>(object) * 0x9E3779B97F4A7C15ULL) >> 54;
    }

    Buffer<Slot> slots_;
    std::uint64_t era_ = 1;
};

class ObjectCoder {
public:
    explicit ObjectCoder(nb::handle inspect) : inspect_(inspect), slots_(Buffer<std::uint32_t>::zeros(1024)) {}

    std::int32_t code(PyObject* object, Py_ssize_t position) {
        if (object == Py_None) return missing;
        std::int32_t code = 0;
        if (cache_.find(object, code)) return code;
        if (is_builtin(object)) {
            code = find_or_add(object, position);
        } else {
            const nb::object kept = nb::borrow(object);  // user code may drop the container's reference
            code = find_or_add(object, position);
            cache_.forget();
        }
        // Without user code, the container does not change, so its elements stay alive.
        if (is_builtin(object)) cache_.put(object, code);
        return code;
    }

    // To be called after other code may have run, such as the handler of a signal.
    void forget_addresses() { cache_.forget(); }

    nb::list labels() { return std::move(labels_); }

private:
    std::int32_t find_or_add(PyObject* object, Py_ssize_t position) {
        if (is_nan(object)) return missing;
        const Py_hash_t hash = PyObject_Hash(object);
        if (hash == -1) throw nb::python_error();
        std::size_t place = start(hash);
        for (; slots_[place] != 0; place = (place + 1) & (slots_.size() - 1)) {
            const std::size_t number = slots_[place] - 1;
            if (is_same(number, object, hash)) return entries_[number].code;
        }
        return add(object, hash, place, position);
    }

    // This table belongs to one call, so code run by a comparison cannot change it.
    bool is_same(std::size_t number, PyObject* object, Py_hash_t hash) {
        PyObject* label = entries_[number].label.ptr();
        if (label == object) return true;
        if (entries_[number].hash != hash) return false;
        if (PyUnicode_CheckExact(label) && PyUnicode_CheckExact(object)) return same_text(label, object);
        const bool quiet = is_builtin(label) && is_builtin(object);
        const nb::object kept = nb::borrow(object);
        const int equal = PyObject_RichCompareBool(label, object, Py_EQ);
        if (!quiet) cache_.forget();
        if (equal < 0) throw nb::python_error();
        return equal != 0;
    }

    std::int32_t add(PyObject* object, Py_hash_t hash, std::size_t place, Py_ssize_t position) {
        std::int32_t code = missing;
        if (is_ordinary(object) || !is_missing(object, position)) {
            if (static_cast<std::uint64_t>(PyList_GET_SIZE(labels_.ptr())) >= most_clusters) {
                PyErr_SetString(PyExc_OverflowError, "more than 2147483647 distinct labels");
                throw nb::python_error();
            }
            code = static_cast<std::int32_t>(PyList_GET_SIZE(labels_.ptr()));
            labels_.append(nb::handle(object));
        }
        entries_.push_back({nb::borrow(object), hash, code});
        slots_[place] = static_cast<std::uint32_t>(entries_.size());
        if (2 * entries_.size() >= slots_.size()) grow();
        return code;
    }

    bool is_missing(PyObject* object, Py_ssize_t position) {
        const nb::object kept = nb::borrow(object);
        const nb::object answer = inspect_(nb::handle(object), position);
        cache_.forget();
        const int yes = PyObject_IsTrue(answer.ptr());
        if (yes < 0) throw nb::python_error();
        return yes != 0;
    }

    void grow() {
        if (slots_.size() > (std::size_t{1} << 33)) throw std::bad_alloc();
        slots_ = Buffer<std::uint32_t>::zeros(4 * slots_.size());
        for (std::size_t i = 0; i < entries_.size(); ++i) {
            std::size_t place = start(entries_[i].hash);
            while (slots_[place] != 0) place = (place + 1) & (slots_.size() - 1);
            slots_[place] = static_cast<std::uint32_t>(i + 1);
        }
    }

    std::size_t start(Py_hash_t hash) const {
        return mix(static_cast<std::uint64_t>(hash), seed_) >> (65 - bit_length(std::uint64_t{slots_.size()}));
    }

    nb::handle inspect_;
    Buffer<std::uint32_t> slots_;  // number of the entry, plus one; 0 is empty
    std::vector<Entry> entries_;
    AddressCache cache_;
    nb::list labels_;
    std::uint64_t seed_ = process_seed();
};

}  // namespace

ObjectEncoding encode_objects(nb::handle labels, nb::handle inspect) {
    const Elements elements(labels);
    ObjectCoder coder(inspect);
    Buffer<std::int32_t> codes(static_cast<std::size_t>(elements.size()));
    constexpr Py_ssize_t ahead = 16;  // objects are scattered in memory, so they are prefetched
    constexpr Py_ssize_t block = 4096;  // fewer objects are encoded within a millisecond
    std::optional<InterruptibleCall> call;  // holds the lock, because objects are hashed and compared
    if (elements.size() > block) call.emplace();
    StepCounter counter;
    for (Py_ssize_t i = 0; i < elements.size(); ++i) {
        if (i % block == block - 1) {
            counter.step(10 * block);
            coder.forget_addresses();
        }
        if (i + ahead < elements.size()) __builtin_prefetch(elements[i + ahead]);
        codes[static_cast<std::size_t>(i)] = coder.code(elements[i], i);
    }
    return {std::move(codes), coder.labels()};
}

}  // namespace clustermark
