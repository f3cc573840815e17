// Arrays that Python's objects lend to one call, so that large ones are not copied.
//
//   Loans loans;                                  // before everything that may hold the arrays
//   auto arguments = loans.during([&] { return argumentsOf(positional, named); });
//   …                                             // the call
//                                                 // at the end of the scope, whatever still holds an array gets a copy
#pragma once

#include "core/data/ArrayBytes.h"
#include "repl/python/native/PythonApi.h"

#include <list>
#include <memory>
#include <utility>
#include <vector>

namespace lanescope::python {

class Loans {
public:
  Loans() = default;
  ~Loans();
  Loans(const Loans &) = delete;
  Loans &operator=(const Loans &) = delete;

  /// Calls convert(). The arrays that this thread converts meanwhile are lent.
  template <class Convert> auto during(const Convert &convert) {
    struct Current {
      Loans *outer;
      ~Current() { current_ = outer; }
    } restored{std::exchange(current_, this)};
    return convert();
  }
  /// The bytes of a C-contiguous buffer. Releases the view, now or at the end of the loan.
  static core::ArrayBytes bytesOf(Py_buffer &view);
  /// The bytes of memory that the caller keeps until the end of the loan.
  core::ArrayBytes lend(const std::byte *data, size_t size);

private:
  static thread_local Loans *current_; // null: arrays are copied
  std::vector<std::shared_ptr<core::BytesLoan>> loans_;
  std::list<Py_buffer> views_;
};

} // namespace lanescope::python
