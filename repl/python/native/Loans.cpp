#include "repl/python/native/Loans.h"

namespace lanescope::python {
namespace {

constexpr size_t kLeastLoan = size_t{1} << 20; // bytes; smaller arrays are copied faster than they are lent

} // namespace

thread_local Loans *Loans::current_ = nullptr;

Loans::~Loans() {
  for (const std::shared_ptr<core::BytesLoan> &loan : loans_)
    if (loan.use_count() > 1)
      loan->end();
  for (Py_buffer &view : views_)
    PyBuffer_Release(&view);
}

core::ArrayBytes Loans::lend(const std::byte *data, size_t size) {
  if (size < kLeastLoan)
    return core::Bytes(data, data + size);
  loans_.push_back(std::make_shared<core::BytesLoan>(data, size));
  return core::ArrayBytes::lent(loans_.back());
}

core::ArrayBytes Loans::bytesOf(Py_buffer &view) {
  const auto *data = static_cast<const std::byte *>(view.buf);
  auto size = static_cast<size_t>(view.len);
  if (!current_ || size < kLeastLoan) {
    core::Bytes copy(data, data + size);
    PyBuffer_Release(&view);
    return copy;
  }
  current_->views_.push_back(view);
  return current_->lend(data, size);
}

} // namespace lanescope::python
