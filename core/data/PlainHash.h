// FNV-1a, a hash that tells contents apart. It is fast for short texts and resists no attack: whoever can choose both
// contents can make their hashes equal.
#pragma once

#include <cstdint>
#include <string_view>

namespace lanescope::core {

/// `hash`: that of the text before, to hash several texts as one.
constexpr uint64_t plainHash(std::string_view text, uint64_t hash = 0xcbf29ce484222325ull) {
  for (unsigned char c : text)
    hash = (hash ^ c) * 0x100000001b3ull;
  return hash;
}

} // namespace lanescope::core
