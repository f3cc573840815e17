// Special functions of constants, as ptxas 13.0 evaluates them. Its results are correctly rounded, while those of the
// special function unit may be off by an ulp.
//
//   exact::inverseRoot(1e-5f)   // 316.227783f, 0x439E1D28
//   exact::logarithm(-1.0f)     // nothing: ptxas leaves this to the unit
//
// The accepted arguments were found in ptxas' code: it accepts no NaN, nothing outside of a function's domain, and no
// zero for `lg2`. It does not evaluate `tanh`, functions of halves, or functions of doubles.
#pragma once

#include "core/gpu/emulator/numbers/NarrowFloat.h"

#include <cmath>
#include <optional>

namespace lanescope::core::emulator::exact {

using Folded = std::optional<float>;

inline Folded folded(bool taken, double value) { return taken ? Folded(static_cast<float>(value)) : std::nullopt; }

inline Folded reciprocal(float x) { return folded(x == x, 1.0 / static_cast<double>(x)); }
inline Folded inverseRoot(float x) { return folded(x >= 0, std::copysign(1 / std::sqrt(std::fabs(double{x})), x)); }
inline Folded root(float x) { return folded(x >= 0, std::sqrt(static_cast<double>(x))); }
inline Folded power(float x) { return folded(x == x, std::exp2(static_cast<double>(x))); }
inline Folded logarithm(float x) { return folded(x > 0, std::log2(static_cast<double>(x))); }
/// Subnormal arguments are treated as zero.
inline Folded sine(float x) { return folded(std::isfinite(x), std::sin(static_cast<double>(flushed(x)))); }
inline Folded cosine(float x) { return folded(std::isfinite(x), std::cos(static_cast<double>(flushed(x)))); }

} // namespace lanescope::core::emulator::exact
