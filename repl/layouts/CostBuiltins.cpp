// Builtins for the cost of a layout: bank conflicts, relayouts, coalescing.
#include "layouts/cost/LdsAccess.h"
#include "layouts/support/Try.h"
#include "repl/lang/evaluate/Evaluator.h"
#include "repl/lang/values/LayoutObjects.h"
#include "repl/layouts/CostObjects.h"
#include "repl/layouts/LayoutArguments.h"
#include "repl/layouts/LayoutBuiltins.h"

#include "layouts/cost/SmemAccess.h"
#include "layouts/cost/Verdicts.h"
#include "layouts/DefaultArray.h"
#include "layouts/notation/mosaic/MosaicShared.h"
#include "layouts/Placement.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <array>
#include <limits>

namespace lanescope::repl {
namespace {

using C = Context;
using A = BoundArguments;
using R = Result<Value>;
using Fields = RecordObject::Fields;
using layouts::Shape;

constexpr int kWarpLanes = 32;

/// The result, with an error placed at argument `index`.
template <typename T> Result<T> placed(const A &args, size_t index, Result<T> result) {
  if (!result)
    return at(args.has(index) ? args[index].span : args.call, std::move(result.error()));
  return result;
}

/// The bits that an element takes in memory; a bool takes a byte.
int memoryBits(layouts::Dtype dtype) { return dtype == layouts::Dtype::I1 ? 8 : layouts::bitwidth(dtype); }

Result<layouts::SmemOp> smemOp(const A &args, size_t index) {
  return placed(args, index, layouts::parseSmemOp(LANESCOPE_TRY(args.text(index))));
}

/// A byte address for each of `Lanes` lanes; None for an inactive lane. `warp`: the word for a group of that many
/// lanes.
template <size_t Lanes>
Result<std::array<int32_t, Lanes>> laneAddresses(const A &args, size_t index, std::string_view warp) {
  const Value &value = args[index].value;
  const auto *items = value.asList() ? &value.asList()->items : value.asTuple();
  if (!items)
    return args.wrongType(index, text("a list of ", Lanes, " byte addresses"));
  if (items->size() != Lanes)
    return args.wrongValue(index, Message("{} has {lanes} lanes, got {count} addresses", warp, Lanes, items->size()));
  std::array<int32_t, Lanes> out;
  for (size_t lane = 0; lane < Lanes; ++lane) {
    const Value &item = (*items)[lane];
    auto address = item.integer();
    if (!address && !item.isNone())
      return args.wrongValue(index,
                             Message("lane {lane} must have an int (or None, when it is switched off), not {type}",
                                     lane, item.typeName()));
    if (address && (*address < 0 || *address > std::numeric_limits<int32_t>::max()))
      return args.wrongValue(index, Message("address {} of lane {lane} is not one of shared memory", *address, lane));
    out[lane] = address ? static_cast<int32_t>(*address) : layouts::kNoAddress;
  }
  return out;
}

constexpr std::string_view kLdsRule = "LDS of CDNA 1 to 3: 32 banks, wavefronts of 64 lanes, phases as AMD publishes "
                                      "them for b32 and b128 (b64: assumed); not measured";

R smemWavefrontsOf(C &, const A &args) {
  if (std::string access = LANESCOPE_TRY(args.text(0)); layouts::looksLikeLdsOp(access)) {
    layouts::LdsOp op = LANESCOPE_TRY(placed(args, 0, layouts::parseLdsOp(access)));
    auto addresses = LANESCOPE_TRY(laneAddresses<layouts::kLdsLanes>(args, 1, "a wavefront of AMD's"));
    LANESCOPE_CHECK(placed(args, 1, layouts::checkLdsAlignment(op, addresses)));
    layouts::LdsCount count = layouts::ldsCycles(op, addresses);
    return Value::dict({{"cycles", Value(count.cycles)},
                        {"ideal", Value(count.phases)},
                        {"conflicts", Value(count.conflicts())},
                        {"rule", Value(kLdsRule)}});
  }
  layouts::SmemOp op = LANESCOPE_TRY(smemOp(args, 0));
  auto addresses = LANESCOPE_TRY(laneAddresses<kWarpLanes>(args, 1, "a warp"));
  LANESCOPE_CHECK(placed(args, 1, layouts::checkAlignment(op, addresses)));
  layouts::SmemCount count = layouts::smemWavefronts(op, addresses);
  return Value::dict({{"wavefronts", Value(count.wavefronts)}, {"conflicts", Value(count.conflicts())}});
}

std::string lanesText(const std::vector<int> &lanes) { return joined(lanes, " "); }

/// The columns of a table, as a dict of lists that is filled row by row.
class Columns {
public:
  explicit Columns(std::initializer_list<const char *> names) {
    for (const char *name : names)
      columns_.emplace_back(name, std::vector<Value>());
  }
  void row(std::initializer_list<Value> values) {
    size_t i = 0;
    for (const Value &value : values)
      columns_[i++].second.push_back(value);
  }
  Value take() {
    Fields out;
    for (auto &[name, values] : columns_)
      out.emplace_back(name, Value::list(std::move(values)));
    return Value::dict(std::move(out));
  }

private:
  std::vector<std::pair<std::string, std::vector<Value>>> columns_;
};

/// The banks from which one warp's access needs several words, with the lanes that need each word.
Value collisions(const layouts::ConflictReport &report, int instruction, int warp) {
  Columns out{"phase", "bank", "word", "lanes"};
  int phase = 0;
  for (const layouts::SmemPhase &one : report.phases(instruction, warp)) {
    for (const layouts::SmemBankUse &use : one.banks)
      if (use.words.size() > 1)
        for (const auto &word : use.words)
          out.row({Value(phase), Value(use.bank), Value(word.word), Value(lanesText(word.lanes))});
    ++phase;
  }
  return out.take();
}

Value registersOf(const layouts::ConflictReport &report) {
  std::vector<Value> out;
  for (size_t i = 0; i < report.slots.size(); i += report.slotsPerInstruction)
    out.push_back(Value::list(
        std::vector<Value>(report.slots.begin() + i, report.slots.begin() + i + report.slotsPerInstruction)));
  return Value::list(std::move(out));
}

R conflictsRecord(const A &args, std::string access, layouts::ConflictReport report,
                  const std::optional<layouts::SwizzleAdvice> &advice = std::nullopt) {
  constexpr size_t kInstruction = 6, kWarp = 7;
  int count = static_cast<int>(report.instructions.size());
  auto worst = std::max_element(report.instructions.begin(), report.instructions.end(),
                                [](const auto &a, const auto &b) { return a.conflicts() < b.conflicts(); });
  int64_t instruction = worst == report.instructions.end() ? 0 : worst - report.instructions.begin();
  instruction = LANESCOPE_TRY(args.integerOr(kInstruction, instruction));
  if (args.has(kInstruction) && (instruction < 0 || instruction >= count))
    return args.wrongValue(kInstruction, Message("there are instructions 0 to {}", count - 1));
  int64_t warp = count == 0 ? 0 : report.instructions[static_cast<size_t>(instruction)].worstWarp;
  warp = LANESCOPE_TRY(args.integerOr(kWarp, warp));
  if (args.has(kWarp) && (warp < 0 || warp >= report.warps))
    return args.wrongValue(kWarp, Message("there are warps 0 to {}", report.warps - 1));

  Columns each{"instruction", "wavefronts", "ideal", "conflicts", "worst_warp"};
  for (int i = 0; i < count; ++i) {
    const layouts::InstructionCost &cost = report.instructions[static_cast<size_t>(i)];
    each.row({Value(i), Value(cost.wavefronts), Value(cost.ideal), Value(cost.conflicts()), Value(cost.worstWarp)});
  }
  Fields fields = {
      {"verdict", Value(layouts::verdictOn(report, advice).sentence)},
      {"access", Value(std::move(access))},
      {"op", Value(layouts::smemOpText(report.op))},
      {"plan", report.plan ? Value(report.plan->text()) : Value()},
      {"instructions", Value(count)},
      {"warps", Value(report.warps)},
      {"wavefronts", Value(report.wavefronts)},
      {"ideal", Value(report.ideal)},
      {"conflicts", Value(report.conflicts())},
      {"per_instruction", each.take()},
      {"registers", registersOf(report)},
  };
  if (count > 0) {
    auto lanes = report.addressesOf(static_cast<int>(instruction), static_cast<int>(warp));
    layouts::SmemCount one = layouts::smemWavefronts(report.op, lanes);
    std::vector<Value> addresses;
    for (int32_t address : lanes)
      addresses.push_back(address == layouts::kNoAddress ? Value() : Value(address));
    fields.emplace_back("shown", Value::dict({{"instruction", Value(instruction)},
                                              {"warp", Value(warp)},
                                              {"wavefronts", Value(one.wavefronts)},
                                              {"conflicts", Value(one.conflicts())}}));
    fields.emplace_back("addresses", Value::list(std::move(addresses)));
    fields.emplace_back("collisions", collisions(report, static_cast<int>(instruction), static_cast<int>(warp)));
  }
  return Value(std::make_shared<ConflictsObject>(std::move(report), std::move(fields)));
}

/// The map of an array's memory, from the map of the transposed array.
Result<layouts::AddressMap> transposed(const layouts::AddressMap &map) {
  Shape shape(map.shape().rbegin(), map.shape().rend());
  std::vector<int32_t> offsets(map.offsets().size());
  for (size_t i = 0; i < offsets.size(); ++i) {
    Shape index = layouts::unravelIndex(static_cast<int64_t>(i), shape);
    std::reverse(index.begin(), index.end());
    offsets[i] = map.offset(layouts::ravelIndex(index, map.shape()));
  }
  return layouts::AddressMap::make("transposed", std::move(shape), map.bitwidth(), std::move(offsets));
}

layouts::TransferMemory transposedMemory(const layouts::TransferMemory &memory) {
  std::vector<size_t> order;
  for (size_t d = memory.sizes.size(); d-- > 0;)
    order.push_back(d);
  return memory.transposed(order);
}

/// The planned transfer for a tiled layout.
R plannedTransfer(const A &args, const Layout &layout, const layouts::TransferMemory &memory, bool load) {
  const auto *registers = std::get_if<layouts::RegisterLayout>(&layout);
  const auto *tiled = registers ? std::get_if<layouts::TiledLayout>(registers) : nullptr;
  if (!tiled)
    return args.wrongType(1, "a TiledLayout for a planned transfer");
  auto report = placed(args, 1, layouts::plannedConflicts(load, *tiled, memory));
  return conflictsRecord(args, load ? "load" : "store", LANESCOPE_TRY(std::move(report)));
}

/// The tiled array that the argument names or describes.
Result<layouts::SmemMap> tiledMemory(const A &args, const std::optional<Layout> &layout,
                                     const std::optional<Shape> &shape, int bits) {
  if (const auto *memory = args[2].value.as<SmemMapObject>())
    return memory->map;
  const auto *foreign = layout ? std::get_if<layouts::Foreign>(&*layout) : nullptr;
  const auto *tiled = foreign ? foreign->as<layouts::MosaicShared>() : nullptr;
  if (!tiled)
    return args.wrongType(2, "a smem_map for a planned transfer");
  if (!shape)
    return error("arguments", args.call, "`conflicts` needs a `shape`: the layout of shared memory does not say it");
  return placed(args, 2, tiled->smemMap(*shape, bits));
}

/// A record for AMD's LDS, with conflicts by AMD's rule.
R ldsRecord(const A &args, const layouts::LdsReport &report) {
  constexpr size_t kInstruction = 6, kWarp = 7;
  int count = static_cast<int>(report.instructions.size());
  auto worst = std::ranges::max_element(report.instructions, {}, &layouts::LdsCount::conflicts);
  int64_t instruction = LANESCOPE_TRY(args.integerOr(kInstruction, worst - report.instructions.begin()));
  int64_t wave = LANESCOPE_TRY(args.integerOr(kWarp, 0));
  if (count == 0 || instruction < 0 || instruction >= count)
    return args.wrongValue(args.has(kInstruction) ? kInstruction : 0, Message("there are {count} instructions", count));
  if (wave < 0 || wave >= report.waves)
    return args.wrongValue(kWarp, Message("there are wavefronts 0 to {}", report.waves - 1));
  Columns each{"instruction", "cycles", "ideal", "conflicts"};
  for (int i = 0; i < count; ++i) {
    const layouts::LdsCount &cost = report.instructions[static_cast<size_t>(i)];
    each.row({Value(i), Value(cost.cycles), Value(cost.phases), Value(cost.conflicts())});
  }
  auto addresses = report.addressesOf(static_cast<int>(instruction), static_cast<int>(wave));
  Columns meetings{"phase", "bank", "lanes"};
  for (layouts::LdsMeeting &meeting : layouts::ldsMeetings(report.op, addresses)) {
    std::vector<Value> lanes(meeting.lanes.begin(), meeting.lanes.end());
    meetings.row({Value(meeting.phase), Value(meeting.bank), Value::list(std::move(lanes))});
  }
  Fields fields = {{"op", Value(layouts::ldsOpText(report.op))},
                   {"rule", Value(kLdsRule)},
                   {"instructions", Value(count)},
                   {"wavefronts", Value(report.waves)},
                   {"cycles", Value(report.cycles)},
                   {"ideal", Value(report.ideal)},
                   {"conflicts", Value(report.conflicts())},
                   {"per_instruction", each.take()},
                   {"shown", Value::dict({{"instruction", Value(instruction)}, {"wavefront", Value(wave)}})},
                   {"collisions", meetings.take()}};
  return Value(std::make_shared<RecordObject>("lds_conflicts", std::move(fields)));
}

R conflictsOf(C &context, const A &args) {
  std::string access = LANESCOPE_TRY(args.text(0));
  const auto *smem = args[2].value.as<SmemMapObject>();
  const auto *placedMemory = args[2].value.as<AddressMapObject>();
  std::optional<Layout> memoryLayout;
  if (!smem && !placedMemory)
    memoryLayout = LANESCOPE_TRY(layoutArgument(args, 2));
  Layout registers = LANESCOPE_TRY(layoutArgument(args, 1));
  std::optional<int> bits;
  std::optional<Shape> shape;
  layouts::Dtype own = layouts::Dtype::F32; // the type of the map's elements
  if (smem || placedMemory) {
    bits = smem ? smem->map.bitwidth() : placedMemory->map.bitwidth();
    shape = smem ? smem->map.shape() : placedMemory->map.shape();
    own = smem ? smem->dtype : placedMemory->dtype;
  }
  if (args.has(3) && !args[3].value.isNone()) {
    int given = memoryBits(LANESCOPE_TRY(args.dtype(3)));
    if (bits && *bits != given)
      return args.wrongValue(3, Message("elements of {bits} bits, but the shared memory is of {}, {other_bits} bits",
                                        given, layouts::name(own), *bits));
    bits = given;
  } else if (!bits) {
    bits = layouts::ownBitwidth(*memoryLayout);
    if (!bits)
      return error("arguments", args.call, "`conflicts` needs a `dtype`, as f16, with a layout of shared memory");
  }
  bool isTransposed = LANESCOPE_TRY(args.booleanOr(5, false));
  if (args.has(4) && !args[4].value.isNone()) {
    Shape given = LANESCOPE_TRY(args.shape(4));
    if (isTransposed)
      std::reverse(given.begin(), given.end());
    if (shape && given != *shape)
      return args.wrongValue(4, Message("the memory is of shape {shape}", layouts::tupleText(*shape)));
    shape = std::move(given);
  }
  if (!shape && memoryLayout)
    shape = layouts::ownShape(*memoryLayout, layouts::Memory::Shared);
  if (access == "load" || access == "store") {
    layouts::SmemMap tiled = LANESCOPE_TRY(tiledMemory(args, memoryLayout, shape, *bits));
    auto planned = layouts::TransferMemory::of(tiled);
    return plannedTransfer(args, registers, isTransposed ? transposedMemory(planned) : planned, access == "load");
  }

  bool lds = layouts::looksLikeLdsOp(access);
  layouts::SmemOp op = lds ? layouts::SmemOp() : LANESCOPE_TRY(smemOp(args, 0));
  layouts::LdsOp ldsOp = lds ? LANESCOPE_TRY(placed(args, 0, layouts::parseLdsOp(access))) : layouts::LdsOp();
  std::optional<layouts::AddressMap> memory;
  if (smem) {
    memory = layouts::AddressMap::of(smem->map);
  } else if (placedMemory) {
    memory = placedMemory->map;
  } else {
    if (!shape)
      return error("arguments", args.call, "`conflicts` needs a `shape`: the layout of shared memory does not say it");
    auto place = placed(args, 2, layouts::placement(*memoryLayout, *shape, *bits, layouts::Memory::Shared));
    memory = std::get<layouts::AddressMap>(LANESCOPE_TRY(std::move(place)));
  }
  if (isTransposed)
    memory = LANESCOPE_TRY(placed(args, 2, transposed(*memory)));
  auto map = LANESCOPE_TRY(placed(args, 1, layouts::elementMapOf(registers, memory->shape())));
  remarkCoverage(context, args[1].span, map);
  if (lds)
    return ldsRecord(args, LANESCOPE_TRY(placed(args, 0, layouts::ldsConflicts(ldsOp, map, *memory))));
  layouts::ConflictReport report = LANESCOPE_TRY(placed(args, 0, layouts::conflicts(op, map, *memory)));
  std::optional<layouts::SwizzleAdvice> advice;
  if (smem && !isTransposed)
    advice = layouts::swizzleAdvice(op, map, smem->map, report);
  return conflictsRecord(args, layouts::smemOpText(op), std::move(report), advice);
}

std::string_view basisText(layouts::RelayoutBasis basis) {
  switch (basis) {
  case layouts::RelayoutBasis::Lowering: return "what the kernel compiler makes";
  case layouts::RelayoutBasis::Plan: return "a plan found here";
  }
  return "";
}

/// The shape and dtype of the array to which a builtin applies register layouts.
struct Array {
  Shape shape;
  layouts::Dtype dtype;
};

/// The array that the arguments describe. If arguments are missing, they are taken from the layout, with a remark.
Result<Array> arrayOf(C &context, const A &args, const Layout &layout, size_t shapeIndex, size_t dtypeIndex) {
  auto given = [&](size_t index) { return args.has(index) && !args[index].value.isNone(); };
  Array out{{}, layouts::defaultDtype(layout)};
  std::vector<std::string> taken;
  if (given(shapeIndex)) {
    out.shape = LANESCOPE_TRY(args.shape(shapeIndex));
  } else if (auto own = layouts::ownShape(layout, layouts::Memory::Registers)) {
    out.shape = *std::move(own);
  } else {
    out.shape = layouts::exampleShape(layout, layouts::Memory::Registers);
    taken.push_back(text("shape=", layouts::tupleText(out.shape)));
  }
  if (given(dtypeIndex))
    out.dtype = LANESCOPE_TRY(args.dtype(dtypeIndex));
  else if (!layouts::ownBitwidth(layout))
    taken.push_back(text("dtype=", layouts::name(out.dtype)));
  if (!taken.empty())
    context.evaluator.remark(
        {Severity::Note,
         "array-guessed",
         args.call,
         text("`", args.function, "` needs the array's shape and dtype; taken: ", joined(taken, ", ")),
         {}});
  return out;
}

R relayoutOf(C &context, const A &args) {
  Layout from = LANESCOPE_TRY(layoutArgument(args, 0)), to = LANESCOPE_TRY(layoutArgument(args, 1));
  Array array = LANESCOPE_TRY(arrayOf(context, args, from, 2, 3));
  const Shape &shape = array.shape;
  auto result = layouts::relayout(from, to, shape, layouts::bitwidth(array.dtype));
  if (!result)
    return at(args.call, std::move(result.error()));
  for (size_t i : {0, 1})
    if (auto map = layouts::elementMapOf(i == 0 ? from : to, shape))
      remarkCoverage(context, args[i].span, *map);
  layouts::RelayoutReport &report = *result;
  using layouts::MoveKind;
  using layouts::RelayoutMechanism;
  bool trip = report.mechanism == RelayoutMechanism::SharedMemory && report.shared;
  int warps = std::max((report.threads + kWarpLanes - 1) / kWarpLanes, 1);
  const layouts::RelayoutCounts &counts = report.counts;

  Fields perThread = {{"registers_moved", Value(counts.registersMoved)},
                      {"prmt", Value(counts.prmt)},
                      {"shuffles", Value(counts.shuffles)},
                      {"selects", Value(counts.selects)},
                      {"stores", Value(trip ? report.shared->stores : 0)},
                      {"loads", Value(trip ? report.shared->loads : 0)}};
  int64_t instructions =
      counts.prmt + counts.shuffles + counts.selects + (trip ? report.shared->stores + report.shared->loads : 0);
  Fields perWarp = {{"instructions", Value(instructions)},
                    {"shuffled_bytes", Value(counts.shuffles * kWarpLanes * 4)},
                    {"store_wavefronts", Value(trip ? report.shared->storeWavefronts / warps : 0)},
                    {"load_wavefronts", Value(trip ? report.shared->loadWavefronts / warps : 0)}};
  Fields travel;
  for (MoveKind kind : {MoveKind::Stays, MoveKind::SameThread, MoveKind::SameWarp, MoveKind::OtherWarp})
    travel.emplace_back(layouts::name(kind), Value(report.values[static_cast<size_t>(kind)]));
  Value shared;
  if (report.shared) {
    const layouts::SharedMemoryTrip &s = *report.shared;
    shared = Value::dict({{"scratch", Value(s.scratch)},
                          {"bytes", Value(s.bytes)},
                          {"store", Value(text("st.shared.b", s.storeBytes * 8))},
                          {"load", Value(text("ld.shared.b", s.loadBytes * 8))},
                          {"stores", Value(s.stores)},
                          {"loads", Value(s.loads)},
                          {"store_wavefronts", Value(s.storeWavefronts)},
                          {"load_wavefronts", Value(s.loadWavefronts)},
                          {"conflicts", Value(s.conflicts)}});
  }
  Fields fields = {
      {"verdict", Value(layouts::verdictOn(report, from).sentence)},
      {"mechanism", Value(layouts::name(report.mechanism))},
      {"how", Value(report.how)},
      {"basis", Value(basisText(report.basis))},
      {"lowered", Value(report.lowered)},
      {"warps", Value(warps)},
      {"per_thread", Value::dict(std::move(perThread))},
      {"per_warp", Value::dict(std::move(perWarp))},
      {"shuffles_at_least", report.shufflesAtLeast > 0 ? Value(report.shufflesAtLeast) : Value()},
      {"values", Value::dict(std::move(travel))},
      {"shared_memory", std::move(shared)},
  };
  return Value(std::make_shared<RelayoutObject>(std::move(report), std::move(from), std::move(to), array.shape,
                                                std::move(fields)));
}

R coalescingOf(C &context, const A &args) {
  Layout layout = LANESCOPE_TRY(layoutArgument(args, 0));
  auto [shape, dtype] = LANESCOPE_TRY(arrayOf(context, args, layout, 3, 2));
  bool rowMajor = !args.has(1) || args[1].value.isNone();
  Shape strides = rowMajor ? layouts::contiguousStrides(shape) : LANESCOPE_TRY(args.integers(1));
  auto map = LANESCOPE_TRY(placed(args, 0, layouts::elementMapOf(layout, shape)));
  remarkCoverage(context, args[0].span, map);
  auto report = LANESCOPE_TRY(placed(args, 1, layouts::coalescing(map, strides, memoryBits(dtype))));
  Columns each{"instruction", "sectors", "ideal_sectors", "lines", "worst_warp"};
  for (size_t i = 0; i < report.instructions.size(); ++i) {
    const auto &cost = report.instructions[i];
    each.row({Value(i), Value(cost.sectors), Value(cost.idealSectors), Value(cost.lines), Value(cost.worstWarp)});
  }
  auto accesses = static_cast<double>(std::max<size_t>(report.instructions.size() * report.warps, 1));
  Fields fields = {
      {"verdict", Value(layouts::verdictOn(report, map, strides, memoryBits(dtype)).sentence)},
      {"bytes_per_lane", Value(report.bytes)},
      {"instructions", Value(report.instructions.size())},
      {"warps", Value(report.warps)},
      {"sectors_per_access", Value(static_cast<double>(report.sectors) / accesses)},
      {"lines_per_access", Value(static_cast<double>(report.lines) / accesses)},
      {"sectors", Value(report.sectors)},
      {"ideal_sectors", Value(report.idealSectors)},
      {"lines", Value(report.lines)},
      {"efficiency", Value(report.efficiency())},
      {"per_instruction", each.take()},
  };
  return Value(std::make_shared<CoalescingObject>(std::move(report), std::move(fields)));
}

} // namespace

Builtins costBuiltins() {
  Builtins out = {
      {"smem_wavefronts", "smem_wavefronts(op, addresses)",
       "Wavefronts and bank conflicts of one warp's access to shared memory, as an H200 counts them.\n\nop: "
       "'ld.shared.b64', 'st.shared.v4.f32', 'ldmatrix.x4.trans', 'stmatrix.x2', …; addresses: 32 byte addresses, None "
       "for a lane that is switched off. AMD's 'ds_read_b64', 'ds_write_b128', … take 64 and give cycles of the LDS, "
       "by "
       "the phases that AMD publishes.\n\n  smem_wavefronts('ld.shared.b32', [128 * lane for lane in range(32)])",
       smemWavefrontsOf},
      {"conflicts",
       "conflicts(access, register_layout, smem_layout, dtype=None, shape=None, transposed=False, instruction=None, "
       "warp=None)",
       "Bank conflicts of moving an array between registers and shared memory.\n\naccess: an instruction such as "
       "'ld.shared.b64' or 'ldmatrix.x4', or 'load' and 'store' for a transfer as Mosaic GPU plans it (trivial, "
       "staggered, or an error). smem_layout: a smem_map, or a layout of shared memory in any language. transposed: "
       "the memory is "
       "that "
       "of the transposed array. Of AMD's LDS: 'ds_read_b128', 'ds_write_b64', … of layouts with 64 lanes a warp, by "
       "the "
       "phases that AMD publishes. The lanes that meet in a bank are listed for the worst instruction and warp, or "
       "those "
       "asked for.\n\n  conflicts('ld.shared.b64', WGMMA, smem_map((64, 32), f32, tiling=(8, 32), swizzle=None))\n  "
       "conflicts('load', WGMMA, smem_map((64, 32), f32, tiling=(8, 32), swizzle=128))",
       conflictsOf},
      {"relayout", "relayout(layout, to, shape=None, dtype=None)",
       "The cost of taking an array from one register layout to another: renaming registers, byte permutes, "
       "shuffles within warps, or a round trip through shared memory, with counts per thread and per "
       "warp.\n\nThe counts are those of the kernel compiler's conversion where there is one (see `basis`), "
       "else of "
       "a plan; shuffles_at_least says how few any plan needs.\n\n  relayout(WGMMA, WGMMA_TRANSPOSED, (64, 64), f16)",
       relayoutOf},
      {"coalescing", "coalescing(layout, strides=None, dtype=None, shape=None)",
       "Sectors (32 bytes) and lines (128 bytes) of global memory that each warp's instruction touches, with the "
       "widest "
       "accesses that the layout and the strides allow.\n\nstrides: of the array in elements, or None for row-major; "
       "the "
       "base is taken to be aligned.\n\n  coalescing(WGMMA, (64, 1), f16, shape=(64, 64))",
       coalescingOf},
  };
  for (Builtin &builtin : out)
    builtin.group = "layouts";
  return out;
}

} // namespace lanescope::repl
