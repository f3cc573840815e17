// Operations that combine the lanes of a vector: scans, sorts, reductions.
//
// Scans and sorts compare integers as unsigned numbers, whatever their type; for signed ones, the caller flips the sign
// bit before and after (JAX, sc_primitives.py). Sorts are stable in both directions.
#include "core/tpu/emulator/ElementArithmetic.h"
#include "core/tpu/emulator/Operations.h"
#include "core/tpu/emulator/TpuCostModel.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lanescope::core::sparsecore {
namespace {

struct Lines {
  size_t count = 1, length = 1, stride = 1; // lines along a dimension; stride: the distance of their elements
  size_t first(size_t line) const { return line / stride * stride * length + line % stride; }
};
Lines linesOf(const Type &type, size_t dimension) {
  Lines lines;
  lines.length = static_cast<size_t>(type.shape[dimension]);
  for (size_t d = dimension + 1; d < type.shape.size(); ++d)
    lines.stride *= static_cast<size_t>(type.shape[d]);
  lines.count = type.cells / std::max<size_t>(lines.length, 1);
  return lines;
}

/// A mask with fewer dimensions than the value applies to the value's last dimensions.
bool maskAt(std::span<const uint64_t> mask, size_t k) { return mask.empty() || (mask[k % mask.size()] & 1); }

uint64_t combined(ReductionKind kind, const Element &element, uint64_t a, uint64_t b) {
  if (kind == ReductionKind::Sum)
    return added(element, a, b);
  bool most = kind == ReductionKind::Max;
  if (!element.isFloat())
    return most ? std::max(a, b) : std::min(a, b);
  uint64_t out = 0;
  elementwise({most ? Elementwise::MaximumFloat : Elementwise::MinimumFloat, 0, element, element}, {&a, 1}, {&b, 1}, {},
              {&out, 1});
  return out;
}

/// Before the first active lane, the result is the input, and so undefined. Lanes outside the mask hold the result of
/// the last active lane.
Outcome scan(Machine &m, Subcore &s, const Instruction &i) {
  const Type &type = typeOf(m, s, i.operands[0]), &result = typeOf(m, s, i.results[0]);
  auto from = cells(s, i.operands[0]), to = cells(s, i.results[0]);
  auto mask = i.operands.size() > 1 ? cells(s, i.operands[1]) : std::span<uint64_t>{};
  auto fromContent = contents(s, i.operands[0]), content = contents(s, i.results[0]);
  auto maskContent = i.operands.size() > 1 ? contents(s, i.operands[1]) : std::span<Content>{};
  auto kind = static_cast<ReductionKind>(i.sub);
  Lines lines = linesOf(type, static_cast<size_t>(i.mode));
  for (size_t line = 0; line < lines.count; ++line) {
    bool some = false;
    uint64_t sum = 0;
    Content known = kDefined;
    for (size_t n = 0; n < lines.length; ++n) {
      size_t k = lines.first(line) + n * lines.stride;
      if (!maskContent.empty())
        known = merged(known, maskContent[k % maskContent.size()]);
      if (maskAt(mask, k)) {
        sum = some ? combined(kind, result.element, sum, from[k]) : from[k];
        some = true;
        if (!fromContent.empty())
          known = merged(known, fromContent[k]);
      }
      to[k] = some ? sum : from[k];
      if (!content.empty())
        content[k] = some ? known : kUndefined;
    }
  }
  charge(m, s, i.results[0], cost::kCrossLane);
  return Outcome::Next;
}

bool equalValues(const Element &element, uint64_t a, uint64_t b) {
  return element.isFloat() ? floatOf(element, a) == floatOf(element, b) : a == b;
}

/// Operands: mask, values. Results: the mask of each counted value's last lane, the counts.
Outcome scanCount(Machine &m, Subcore &s, const Instruction &i) {
  const Type &type = typeOf(m, s, i.operands[1]);
  auto mask = cells(s, i.operands[0]), values = cells(s, i.operands[1]);
  auto last = cells(s, i.results[0]), counts = cells(s, i.results[1]);
  Lines lines = linesOf(type, type.shape.size() - 1);
  for (size_t line = 0; line < lines.count; ++line) {
    size_t first = lines.first(line);
    for (size_t k = first; k < first + lines.length; ++k) {
      bool counted = mask[k] & 1;
      uint64_t count = 1;
      last[k] = counted;
      for (size_t other = first; other < first + lines.length && counted; ++other) {
        bool same = other != k && (mask[other] & 1) && equalValues(type.element, values[other], values[k]);
        count += same && other < k;
        if (same && other > k)
          last[k] = 0;
      }
      counts[k] = count;
    }
  }
  if (!contents(s, i.results[0]).empty()) {
    Content known = kDefined;
    for (uint32_t operand : i.operands)
      for (Content content : contents(s, operand))
        known = merged(known, content);
    std::ranges::fill(contents(s, i.results[0]), known);
    std::ranges::fill(contents(s, i.results[1]), known);
  }
  charge(m, s, i.results[1], cost::kCrossLane);
  return Outcome::Next;
}

/// Compares numbers by value; NaN comes after all others in both directions.
bool before(const Element &element, uint64_t a, uint64_t b, bool descending) {
  if (!element.isFloat())
    return descending ? a > b : a < b;
  double x = floatOf(element, a), y = floatOf(element, b);
  if (std::isnan(x) || std::isnan(y))
    return !std::isnan(x) && std::isnan(y);
  return descending ? x > y : x < y;
}

/// Operands: keys, values, mask?. Results: mask, keys, values. Lanes outside the mask come last, in their order.
Outcome sort(Machine &m, Subcore &s, const Instruction &i) {
  const Type &type = typeOf(m, s, i.operands[0]);
  auto keys = cells(s, i.operands[0]), values = cells(s, i.operands[1]);
  auto mask = i.operands.size() > 2 ? cells(s, i.operands[2]) : std::span<uint64_t>{};
  auto outMask = cells(s, i.results[0]), outKeys = cells(s, i.results[1]), outValues = cells(s, i.results[2]);
  auto keyContent = contents(s, i.operands[0]), valueContent = contents(s, i.operands[1]);
  Lines lines = linesOf(type, type.shape.size() - 1);
  std::vector<size_t> order(lines.length);
  for (size_t line = 0; line < lines.count; ++line) {
    size_t first = lines.first(line);
    std::iota(order.begin(), order.end(), first);
    std::ranges::stable_sort(order, [&](size_t a, size_t b) {
      bool aCounts = maskAt(mask, a), bCounts = maskAt(mask, b);
      return aCounts != bCounts ? aCounts : aCounts && before(type.element, keys[a], keys[b], i.flag);
    });
    Content known = kDefined;
    for (size_t k = first; k < first + lines.length && !keyContent.empty(); ++k)
      if (maskAt(mask, k))
        known = merged(known, keyContent[k]);
    for (size_t n = 0; n < lines.length; ++n) {
      outMask[first + n] = maskAt(mask, order[n]);
      outKeys[first + n] = keys[order[n]];
      outValues[first + n] = values[order[n]];
      if (keyContent.empty())
        continue;
      contents(s, i.results[0])[first + n] = kDefined;
      contents(s, i.results[1])[first + n] = known != kDefined ? known : keyContent[order[n]];
      contents(s, i.results[2])[first + n] = known != kDefined ? known : valueContent[order[n]];
    }
  }
  charge(m, s, i.results[1], 2 * cost::kCrossLane);
  return Outcome::Next;
}

/// For i1: the number of true lanes, or the first of them (the number of lanes if there is none). Each lane of the
/// result holds the number of its line.
Outcome allReduce(Machine &m, Subcore &s, const Instruction &i) {
  const Type &type = typeOf(m, s, i.operands[0]), &result = typeOf(m, s, i.results[0]);
  auto from = cells(s, i.operands[0]), to = cells(s, i.results[0]);
  auto kind = static_cast<ReductionKind>(i.sub);
  bool bits = type.element.bits == 1;
  size_t dimension = static_cast<size_t>(i.mode);
  // A result with fewer lanes: the input has that many lines, one after another.
  size_t groups = to.size() >= from.size() ? 0 : to.size();
  Lines lines = linesOf(type, dimension);
  if (groups != 0)
    lines = {groups, from.size() / groups, 1};
  for (size_t line = 0; line < lines.count; ++line) {
    size_t first = lines.first(line);
    uint64_t value = kind == ReductionKind::FindFirstSet ? lines.length : bits ? 0 : from[first];
    size_t best = 0;
    for (size_t n = 0; n < lines.length; ++n) {
      uint64_t lane = from[first + n * lines.stride];
      if (bits && kind == ReductionKind::Sum)
        value += lane & 1;
      else if (kind == ReductionKind::FindFirstSet)
        value = (lane & 1) && value == lines.length ? n : value;
      else if (kind == ReductionKind::ArgMax || kind == ReductionKind::ArgMin) {
        bool better = before(type.element, lane, value, kind == ReductionKind::ArgMax);
        value = better ? lane : value;
        best = better ? n : best;
      } else if (n > 0)
        value = combined(kind, type.element, value, lane);
    }
    if (kind == ReductionKind::ArgMax || kind == ReductionKind::ArgMin)
      value = best;
    if (groups != 0)
      to[line] = integerBits(result.element, static_cast<int64_t>(value));
    else
      for (size_t n = 0; n < lines.length; ++n)
        to[first + n * lines.stride] =
            result.element.isFloat() ? value : integerBits(result.element, static_cast<int64_t>(value));
  }
  Content known = kDefined;
  for (Content content : contents(s, i.operands[0]))
    known = merged(known, content);
  std::ranges::fill(contents(s, i.results[0]), known);
  charge(m, s, i.operands[0], cost::kCrossLane);
  return Outcome::Next;
}

/// vector.multi_reduction, and vector.reduction if no dimension is left. Operands: source, accumulator?.
Outcome reduce(Machine &m, Subcore &s, const Instruction &i) {
  const Type &type = typeOf(m, s, i.operands[0]);
  auto from = cells(s, i.operands[0]), to = cells(s, i.results[0]);
  std::vector<bool> started(to.size(), i.operands.size() > 1);
  if (i.operands.size() > 1)
    std::ranges::copy(cells(s, i.operands[1]), to.begin());
  std::vector<bool> gone(type.shape.size(), false);
  for (int64_t dimension : i.numbers)
    gone[static_cast<size_t>(dimension)] = true;
  Content known = kDefined;
  for (uint32_t operand : i.operands)
    for (Content content : contents(s, operand))
      known = merged(known, content);
  for (size_t k = 0; k < from.size(); ++k) {
    size_t rest = k, place = 0, stride = 1;
    for (size_t d = type.shape.size(); d-- > 0;) {
      size_t size = static_cast<size_t>(type.shape[d]);
      if (!gone[d]) {
        place += rest % size * stride;
        stride *= size;
      }
      rest /= size;
    }
    if (!started[place])
      to[place] = from[k];
    else {
      uint64_t a = to[place], b = from[k];
      elementwise({static_cast<Elementwise>(i.sub), 0, type.element, type.element}, {&a, 1}, {&b, 1}, {},
                  {&to[place], 1});
    }
    started[place] = true;
  }
  std::ranges::fill(contents(s, i.results[0]), known);
  charge(m, s, i.operands[0], cost::kCrossLane);
  return Outcome::Next;
}

} // namespace

void addLanes(Handlers &handlers) {
  auto set = [&](Op op, Handler handler) { handlers[static_cast<size_t>(op)] = handler; };
  set(Op::Scan, scan);
  set(Op::ScanCount, scanCount);
  set(Op::Sort, sort);
  set(Op::AllReduce, allReduce);
  set(Op::Reduce, reduce);
}

} // namespace lanescope::core::sparsecore
