// Exact times for Chrome traces. A file counts microseconds with decimals, often since 1970; a double has steps of a
// quarter of a microsecond there. So times are read as decimals, the trace's origin is subtracted, and only the rest
// becomes a double in nanoseconds:
//
//   Picoseconds at = *picoseconds("1778654321012345.678");
//   nanoseconds(at, 1778654321012345)        ->  678.0
//   microsecondsText(678, 1778654321012345)  ->  "1778654321012345.678"
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lanescope::core {

using Picoseconds = __int128;
constexpr int64_t kPicosecondsPerMicrosecond = 1'000'000;

/// A number of microseconds in JSON's form, rounded to picoseconds. Nothing if it is not a number, or is beyond 2^63
/// µs.
std::optional<Picoseconds> picoseconds(std::string_view number);

/// Nanoseconds since the origin.
double nanoseconds(Picoseconds at, int64_t originUs);
/// The file's time in microseconds with three decimals, that is, to nanoseconds.
std::string microsecondsText(double ns, int64_t originUs);
/// The file's time in nanoseconds, with the decimals that `ns` has.
std::string nanosecondsText(double ns, int64_t originUs);

} // namespace lanescope::core
