#include "core/gpu/dumps/PageParts.h"

#include "core/gpu/dumps/PageText.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <set>

namespace lanescope::core::dumps {

namespace {

bool contains(const Span &outer, const Span &inner) { return outer.begin <= inner.begin && inner.end <= outer.end; }

/// The conversions of a dump. The cost of each distinct conversion is computed once.
class Relayouts {
public:
  explicit Relayouts(const Dump &dump) : dump_(dump) {}
  std::vector<Relayout> take() { return std::move(out_); }

  void add(size_t op, size_t operand, const DumpValue &source, const DumpValue &target) {
    // A constant takes any layout without cost.
    if (!source.layout || !target.layout || !target.dtype || *source.layout == *target.layout ||
        std::holds_alternative<layouts::WGSplatFragLayout>(*source.layout))
      return;
    int bits = layouts::bitwidth(*target.dtype);
    std::tuple key{layouts::jaxText(*source.layout), layouts::jaxText(*target.layout), target.shape, bits};
    auto found = known_.find(key);
    if (found == known_.end()) {
      auto report = layouts::relayout(*source.layout, *target.layout, target.shape, bits);
      if (!report)
        return;
      report->moves.clear();
      found = known_.emplace(std::move(key), *std::move(report)).first;
    }
    Relayout relayout{.op = op,
                      .operand = operand,
                      .from = *source.layout,
                      .to = *target.layout,
                      .shape = target.shape,
                      .dtype = *target.dtype,
                      .mechanism = found->second.mechanism,
                      .counts = found->second.counts};
    if (relayout.mechanism == layouts::RelayoutMechanism::SharedMemory && found->second.shared)
      relayout.scratch = found->second.shared->bytes;
    relayout.inLoop = inLoop(dump_, op);
    out_.push_back(std::move(relayout));
  }

private:
  const Dump &dump_;
  std::vector<Relayout> out_;
  std::map<std::tuple<std::string, std::string, layouts::Shape, int>, layouts::RelayoutReport> known_;
};

/// The part of a value that inference decides, as a text for comparison.
std::string decided(const DumpValue &value) {
  if (value.layout)
    return layouts::jaxText(*value.layout);
  if (value.tensorLayout)
    return layouts::jaxText(*value.tensorLayout);
  return value.transforms ? transformsText(*value.transforms) : "";
}

} // namespace

const DumpValue &valueOf(const Dump &dump, const DumpSource &source) {
  const DumpOp &op = dump.ops[source.op];
  return source.result ? op.results[source.index] : op.operands[source.index];
}

bool inLoop(const Dump &dump, size_t op) {
  return std::ranges::any_of(dump.loops, [&](const Span &loop) {
    return contains(loop, dump.ops[op].span) && loop.begin < dump.ops[op].span.begin;
  });
}

size_t lastUse(const Dump &dump, size_t made, size_t use) {
  for (const Span &loop : dump.loops) {
    if (!contains(loop, dump.ops[use].span) || contains(loop, dump.ops[made].span))
      continue;
    size_t last = use;
    while (last + 1 < dump.ops.size() && contains(loop, dump.ops[last + 1].span))
      ++last;
    return last;
  }
  return use;
}

std::string transformsText(const SmemTransforms &transforms) {
  std::vector<std::string> words;
  if (transforms.tiling)
    words.push_back(text("tile ", layouts::tupleText(*transforms.tiling)));
  if (transforms.swizzle > 16)
    words.push_back(text("swizzle ", transforms.swizzle));
  return words.empty() ? "rows" : joined(words, ", ");
}

std::vector<Relayout> relayoutsOf(const Dump &dump) {
  Relayouts relayouts(dump);
  for (size_t number = 0; number < dump.ops.size(); ++number) {
    const DumpOp &op = dump.ops[number];
    for (size_t i = 0; i < op.operands.size(); ++i)
      if (op.operands[i].source)
        relayouts.add(number, i, valueOf(dump, *op.operands[i].source), op.operands[i]);
    if (op.name == "mosaic_gpu.layout_cast" && op.operands.size() == 1 && op.results.size() == 1)
      relayouts.add(number, 0, op.operands[0], op.results[0]);
  }
  return relayouts.take();
}

std::vector<Allocation> allocationsOf(const Dump &dump) {
  std::vector<Allocation> out;
  std::map<size_t, size_t> numbers; // index of the operation that allocates each memory
  for (size_t number = 0; number < dump.ops.size(); ++number) {
    const DumpOp &op = dump.ops[number];
    bool shared = op.name == "mosaic_gpu.slice_smem", tensor = op.name == "mosaic_gpu.slice_tmem";
    if ((!shared && !tensor && op.name != "mosaic_gpu.tmem_alloc") || op.results.size() != 1)
      continue;
    const DumpValue &value = op.results.front();
    Allocation allocation{
        .op = number, .place = value.place, .offset = op.offset.value_or(0), .name = typeWords(value)};
    constexpr int64_t kBarrierBytes = 8;
    auto elements = layouts::checkedElementCount(value.shape);
    if (value.place == DumpValue::Place::Barrier)
      allocation.size = elements ? *elements * kBarrierBytes : 0;
    else if (shared)
      allocation.size = elements && value.dtype ? (*elements * layouts::bitwidth(*value.dtype) + 7) / 8 : 0;
    else
      allocation.place = DumpValue::Place::TensorMemory;
    if (value.tensorLayout && value.dtype) {
      int bits = layouts::bitwidth(*value.dtype);
      if (value.tensorLayout->checkType(value.shape, bits))
        if (auto columns = value.tensorLayout->columnsIn(value.shape, bits))
          allocation.size = *columns;
    }
    allocation.storage = storageWords(value);
    allocation.first = allocation.last = number;
    // Threads wait for a barrier through its address, so its uses are not seen.
    if (value.place == DumpValue::Place::Barrier)
      allocation.last = dump.ops.size() - 1;
    numbers[number] = out.size();
    out.push_back(std::move(allocation));
  }
  std::set<size_t> used;
  for (size_t number = 0; number < dump.ops.size(); ++number)
    for (const DumpValue &operand : dump.ops[number].operands)
      if (auto found = operand.memory ? numbers.find(*operand.memory) : numbers.end(); found != numbers.end()) {
        Allocation &allocation = out[found->second];
        if (used.insert(found->second).second)
          allocation.first = number;
        allocation.last = std::max(allocation.last, lastUse(dump, allocation.op, number));
      }
  std::ranges::stable_sort(out, {}, [](const Allocation &one) {
    return std::tuple(one.place == DumpValue::Place::TensorMemory, one.offset);
  });
  return out;
}

std::pair<int64_t, size_t> mostRegisters(const Dump &dump) {
  // The last use of each value. A value is a result, or an argument of a region. The argument is listed under the
  // operand that gives its first value.
  std::map<std::tuple<size_t, bool, size_t>, size_t> last;
  for (size_t number = 0; number < dump.ops.size(); ++number) {
    for (size_t i = 0; i < dump.ops[number].results.size(); ++i)
      last.try_emplace({number, true, i}, number);
    for (const DumpValue &operand : dump.ops[number].operands)
      if (operand.source) {
        const DumpSource &source = *operand.source;
        size_t &end = last[{source.op, source.result, source.index}];
        end = std::max(end, lastUse(dump, source.op, number));
      }
  }
  std::vector<int64_t> change(dump.ops.size() + 1);
  for (const auto &[value, end] : last) {
    auto [op, result, index] = value;
    const DumpValue &held = valueOf(dump, {op, result, index});
    if (!held.layout || !held.dtype)
      continue;
    auto registers = layouts::registersShape(*held.layout, held.shape);
    auto count = registers ? layouts::checkedElementCount(*registers) : Result<int64_t>(0);
    if (!count)
      continue;
    // Values narrower than 32 bits share a hardware register if the layout puts them in one vector.
    int64_t bits = layouts::vectorLength(*held.layout) * layouts::bitwidth(*held.dtype);
    int64_t words = *count * ((bits + 31) / 32);
    // The operation may write its result into the registers of operands whose last use it is.
    change[op] += words;
    change[std::min(std::max(end, op + 1), dump.ops.size())] -= words;
  }
  int64_t alive = 0;
  std::pair<int64_t, size_t> most{0, 0};
  for (size_t number = 0; number < dump.ops.size(); ++number) {
    alive += change[number];
    if (alive > most.first)
      most = {alive, number};
  }
  return most;
}

std::vector<Difference> differencesOf(const Dump &theirs, const Dump &ours) {
  std::vector<Difference> out;
  for (size_t number = 0; number < std::min(theirs.ops.size(), ours.ops.size()); ++number) {
    const DumpOp &a = theirs.ops[number], &b = ours.ops[number];
    if (a.name != b.name || a.operands.size() != b.operands.size() || a.results.size() != b.results.size())
      return out;
    for (bool result : {false, true}) {
      const auto &values = result ? a.results : a.operands, &others = result ? b.results : b.operands;
      for (size_t i = 0; i < values.size(); ++i)
        if (std::string x = decided(values[i]), y = decided(others[i]); x != y)
          out.push_back({number, result, i, x.empty() ? "none" : storageWords(values[i]),
                         y.empty() ? "none" : storageWords(others[i])});
    }
  }
  return out;
}

} // namespace lanescope::core::dumps
