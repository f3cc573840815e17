#include "core/profiler/TimeWords.h"

#include <cmath>
#include <cstdio>

namespace lanescope::core {

std::string timeText(double ns) {
  double size = std::abs(ns);
  auto scaled = [](double value, const char *unit) {
    double a = std::abs(value);
    char buffer[400];
    std::snprintf(buffer, sizeof buffer, "%.*f", a >= 100 ? 0 : a >= 10 ? 1 : 2, value);
    std::string digits = buffer;
    if (digits.find('.') != std::string::npos) {
      while (digits.back() == '0')
        digits.pop_back();
      if (digits.back() == '.')
        digits.pop_back();
    }
    return digits + unit;
  };
  if (size < 999.5)
    return scaled(ns, " ns");
  if (size < 999.5e3)
    return scaled(ns / 1e3, " µs");
  if (size < 999.5e6)
    return scaled(ns / 1e6, " ms");
  return scaled(ns / 1e9, " s");
}

std::string percentText(double share) {
  char buffer[400];
  std::snprintf(buffer, sizeof buffer, "%.1f %%", 100 * share);
  return buffer;
}

} // namespace lanescope::core
