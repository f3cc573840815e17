#include "repl/lang/random/RandomStream.h"

#include <bit>
#include <numeric>
#include <utility>

namespace lanescope::repl {

uint32_t RandomStream::drawn(Buffer &buffer, int width) {
  if (buffer.left == 0) {
    buffer.bits = next32();
    buffer.left = 32 / width - 1;
  } else {
    buffer.bits >>= width;
    --buffer.left;
  }
  return buffer.bits;
}

uint64_t RandomStream::interval(uint64_t most) {
  if (most == 0)
    return 0;
  uint64_t mask = UINT64_MAX >> std::countl_zero(most);
  for (;;) {
    uint64_t value = (most <= UINT32_MAX ? next32() : next64()) & mask;
    if (value <= most)
      return value;
  }
}

std::vector<int64_t> RandomStream::shuffled(int64_t count) {
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = order.size(); i-- > 1;)
    std::swap(order[i], order[interval(i)]);
  return order;
}

} // namespace lanescope::repl
