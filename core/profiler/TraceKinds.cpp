#include "core/profiler/TraceKinds.h"

#include <algorithm>
#include <initializer_list>
#include <string>

namespace lanescope::core {

namespace {

bool hasAny(const std::string &lower, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

std::string inLowerCase(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  return lower;
}

} // namespace

TraceKind kindOfName(std::string_view name) {
  std::string lower = inLowerCase(name);
  if (hasAny(lower, {"wait", "drain"}))
    return TraceKind::Wait;
  if (hasAny(lower, {"mma", "matmul"}))
    return TraceKind::Tensor;
  return hasAny(lower, {"tma", "load", "copy", "store", "cp.async"}) ? TraceKind::Copy : TraceKind::Run;
}

TraceKind kindOfFlight(std::string_view name) {
  if (name.starts_with("TMEM "))
    return TraceKind::Run;
  return kindOfName(name) == TraceKind::Tensor ? TraceKind::Tensor : TraceKind::Copy;
}

} // namespace lanescope::core
