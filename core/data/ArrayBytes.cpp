#include "core/data/ArrayBytes.h"

#include <cstdlib>
#include <cstring>

namespace lanescope::core {

namespace {

constexpr size_t kManyZeros = size_t{1} << 20; // from this size, the system gives pages that take no memory until then

} // namespace

void BytesLoan::end() {
  kept_.assign(data_, data_ + size_);
  data_ = kept_.data();
}

ArrayBytes ArrayBytes::lent(std::shared_ptr<const BytesLoan> loan) {
  ArrayBytes out;
  out.loan_ = std::move(loan);
  return out;
}

ArrayBytes ArrayBytes::zeros(size_t size) {
  if (size < kManyZeros || paging::isOn)
    return Bytes(size);
  struct Zeros {
    std::unique_ptr<std::byte, decltype(&std::free)> memory;
    BytesLoan loan;
  };
  auto *memory = static_cast<std::byte *>(std::calloc(size, 1));
  if (!memory) // `new` handles the lack of memory (MemoryReserve.h)
    return Bytes(size);
  auto zeros = std::make_shared<Zeros>(Zeros{{memory, std::free}, {memory, size}});
  ArrayBytes out = lent({zeros, &zeros->loan});
  out.zeros_ = true;
  return out;
}

void ArrayBytes::assign(std::span<const std::byte> bytes) {
  Bytes fresh(bytes.begin(), bytes.end()); // they may be a part of the former bytes
  *this = std::move(fresh);
}

void ArrayBytes::append(std::span<const std::byte> bytes) {
  Bytes &all = own();
  all.insert(all.end(), bytes.begin(), bytes.end());
}

Bytes &ArrayBytes::own() {
  if (loan_) {
    if (zeros_)
      own_.resize(loan_->size());
    else
      own_.assign(loan_->data(), loan_->data() + loan_->size());
    loan_.reset();
    zeros_ = false;
  }
  return own_;
}

Bytes ArrayBytes::take() && { return std::move(own()); }

bool operator==(const ArrayBytes &a, const ArrayBytes &b) {
  return a.size() == b.size() && (a.data() == b.data() || a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

} // namespace lanescope::core
