#include "core/gpu/inference/CastCost.h"

#include "layouts/cost/Relayout.h"
#include "layouts/cost/RelayoutTable.h"
#include "layouts/support/Text.h"

namespace lanescope::core {

std::string castCost(const layouts::RegisterLayout &from, const layouts::RegisterLayout &to,
                     const layouts::Shape &shape, int bitwidth) {
  auto report = layouts::relayout(from, to, shape, bitwidth);
  if (!report)
    return "cost unknown";
  return text(layouts::name(report->mechanism), ": ", report->counts.shuffles, " shuffles, ", report->counts.prmt,
              " byte permutes, ", report->counts.selects, " selects per thread");
}

std::string castCosts(const layouts::RegisterLayout &from, const layouts::RegisterLayout &to,
                      const layouts::Shape &shape, int bitwidth, bool bothWays) {
  std::vector<std::string> costs;
  auto add = [&](const layouts::RegisterLayout &a, const layouts::RegisterLayout &b) {
    if (layouts::conversion(a, b, shape, bitwidth))
      costs.push_back(text("from ", layouts::quoted(a), " to ", layouts::quoted(b), " that takes ",
                           castCost(a, b, shape, bitwidth)));
  };
  add(from, to);
  if (bothWays)
    add(to, from);
  if (!costs.empty())
    return text("; ", joined(costs, ", "));
  return text(" where it comes from: there is no conversion ", bothWays ? "between the two" : "from one to the other",
              ", but through shared memory");
}

} // namespace lanescope::core
