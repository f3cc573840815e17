#include "core/order/Clock.h"

#include "core/HostVectors.h"

namespace lanescope::core::order {

namespace {

LANESCOPE_WIDE void largest(Epoch *to, const Epoch *from, size_t count) {
  for (size_t n = 0; n < count; ++n)
    to[n] = std::max(to[n], from[n]);
}

} // namespace

void Clock::joinFull(const Clock &other) {
  constexpr size_t kFew = 16; // the number of warps in a usual block
  size_t count = other.at_.size();
  if (at_.size() < count)
    at_.resize(count);
  if (count > kFew)
    return largest(at_.data(), other.at_.data(), count);
  for (size_t n = 0; n < count; ++n)
    at_[n] = std::max(at_[n], other.at_[n]);
}

} // namespace lanescope::core::order
