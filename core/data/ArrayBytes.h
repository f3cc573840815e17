// The bytes of an array: memory of its own, or memory that a caller lends. Lent memory is never written: the first
// access that may write copies it.
//
//   auto loan = std::make_shared<BytesLoan>(data, size);
//   ArrayBytes bytes = ArrayBytes::lent(loan);
//   ArrayBytes other = bytes;                // reads the same memory
//   other[0] = std::byte{1};                 // `other` now has memory of its own
//   loan->end();                             // the lender takes the memory back: `bytes` now reads a copy
#pragma once

#include "core/data/Bytes.h"

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

namespace lanescope::core {

/// Memory that is lent for some time. The lender calls end() while no other thread reads it.
class BytesLoan {
public:
  BytesLoan(const std::byte *data, size_t size) : data_(data), size_(size) {}
  const std::byte *data() const { return data_; }
  size_t size() const { return size_; }
  /// Copies the memory. The lender may then change or free it.
  void end();

private:
  const std::byte *data_;
  size_t size_;
  Bytes kept_; // the copy, after the end
};

/// Behaves like `Bytes`. Copies of lent bytes share them. All functions that are not const first
/// copy lent bytes, and so do iterators that may write.
class ArrayBytes {
public:
  using value_type = std::byte;
  using size_type = size_t;
  using iterator = std::byte *;
  using const_iterator = const std::byte *;

  ArrayBytes() = default;
  ArrayBytes(Bytes own) : own_(std::move(own)) {}
  static ArrayBytes lent(std::shared_ptr<const BytesLoan> loan);
  /// Zeros that take no memory until they are written, if there are many.
  static ArrayBytes zeros(size_t size);

  size_t size() const { return loan_ ? loan_->size() : own_.size(); }
  bool empty() const { return size() == 0; }
  const std::byte *data() const { return loan_ ? loan_->data() : own_.data(); }
  const std::byte *begin() const { return data(); }
  const std::byte *end() const { return data() + size(); }
  const std::byte &operator[](size_t i) const { return data()[i]; }

  std::byte *data() { return own().data(); }
  std::byte *begin() { return own().data(); }
  std::byte *end() { return own().data() + own_.size(); }
  std::byte &operator[](size_t i) { return own()[i]; }
  void resize(size_t size) { own().resize(size); }
  void assign(std::span<const std::byte> bytes);
  void append(std::span<const std::byte> bytes);

  /// True for zeros that take no memory yet. A read of them costs a page fault for each page.
  bool areUntouchedZeros() const { return zeros_; }
  /// True if the bytes are lent by a caller. False for zeros that take no memory.
  bool isLent() const { return loan_ && !zeros_; }
  /// The bytes' own memory. Lent bytes are copied first.
  Bytes &own();
  Bytes take() &&;

  friend bool operator==(const ArrayBytes &a, const ArrayBytes &b);

private:
  Bytes own_; // empty while `loan_` is set
  std::shared_ptr<const BytesLoan> loan_;
  bool zeros_ = false; // the loan is of zeros
};

} // namespace lanescope::core
