// Names of PTX by the scope that declares them.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace lanescope::core::emulator {

struct ScopedName {
  uint32_t scope;
  std::string_view name;
  bool operator==(const ScopedName &) const = default;
};
struct ScopedHash {
  size_t operator()(const ScopedName &n) const {
    return std::hash<std::string_view>{}(n.name) * 31 + n.scope * 0x9E3779B97F4A7C15ull;
  }
};

} // namespace lanescope::core::emulator
