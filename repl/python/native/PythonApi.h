// CPython's stable interface, and the two things that every file of this folder needs: owned references, and scopes
// that take or release the interpreter lock. One build serves CPython 3.11 and every later version (PEP 384).
//
//   Ref list(PyList_New(0));          // owns the reference
//   WithoutLock unlocked;             // other Python threads run until the end of the scope
//   WithLock locked;                  // from any thread: Python may be called until the end of the scope
#pragma once

#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <utility>

namespace lanescope::python {

/// An owned reference. It is null after a failed call, and the exception is then set. The caller holds the interpreter
/// lock.
class Ref {
public:
  Ref() = default;
  explicit Ref(PyObject *owned) : object_(owned) {}
  static Ref borrowed(PyObject *object) {
    Py_XINCREF(object);
    return Ref(object);
  }
  Ref(Ref &&other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref &operator=(Ref &&other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() { Py_XDECREF(object_); }
  PyObject *get() const { return object_; }
  PyObject *release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

private:
  PyObject *object_ = nullptr;
};

class WithoutLock {
public:
  WithoutLock() : state_(PyEval_SaveThread()) {}
  ~WithoutLock() { PyEval_RestoreThread(state_); }
  WithoutLock(const WithoutLock &) = delete;
  WithoutLock &operator=(const WithoutLock &) = delete;

private:
  PyThreadState *state_;
};

class WithLock {
public:
  WithLock() : state_(PyGILState_Ensure()) {}
  ~WithLock() { PyGILState_Release(state_); }
  WithLock(const WithLock &) = delete;
  WithLock &operator=(const WithLock &) = delete;

private:
  PyGILState_STATE state_;
};

} // namespace lanescope::python
