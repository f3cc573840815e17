// The tables of NumPy's normal numbers (Ziggurat.cpp).
#pragma once

#include <array>
#include <cstdint>

namespace lanescope::repl {

extern const std::array<uint64_t, 256> kZigguratInside;
extern const std::array<double, 256> kZigguratWidth, kZigguratHeight;

} // namespace lanescope::repl
