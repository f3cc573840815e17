#include "repl/debug/MarkedValues.h"

#include "layouts/ElementMap.h"
#include "layouts/notation/Notation.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "layouts/support/Words.h"
#include "repl/debug/CommandWords.h"

#include <algorithm>
#include <cstring>
#include <span>

namespace lanescope::repl {

namespace {

constexpr char kValueKind[] = "debug-value";
constexpr uint32_t kWarps = 4; // warps per warpgroup
constexpr std::string_view kDynamic = "dynamic+";

/// The dtype of a type as MLIR writes it: "f8E4M3FN", "index". Nothing: arrays cannot have this type.
std::optional<layouts::Dtype> dtypeOf(std::string_view type) {
  if (type == "index")
    return layouts::Dtype::I64;
  std::string name = lowerCase(type);
  return layouts::dtypeNamed(name.starts_with("ui") ? "u" + name.substr(2) : name);
}

/// The instructions of the wgmma that was read last, and the registers that they accumulate into, without repetitions.
struct Products {
  std::vector<uint32_t> lines;
  std::vector<std::string> registers;

  void read(std::string_view line, uint32_t number) {
    if (line.starts_with("wgmma.fence")) { // each wgmma begins with a fence
      lines.clear();
      registers.clear();
    }
    if (!line.starts_with("wgmma.mma_async"))
      return;
    lines.push_back(number);
    size_t open = line.find('{'), close = line.find('}');
    if (open == line.npos || close == line.npos || close < open)
      return;
    std::string_view names = line.substr(open + 1, close - open - 1);
    bool known = std::ranges::find(registers, trimmed(names.substr(0, names.find(',')))) != registers.end();
    while (!known && !names.empty()) {
      size_t comma = std::min(names.find(','), names.size());
      registers.emplace_back(trimmed(names.substr(0, comma)));
      names.remove_prefix(std::min(comma + 1, names.size()));
    }
  }
};

/// A remark if one of these products is in flight or no wait covers it yet; empty: all are complete.
std::string flightWords(const core::Debugger &debugger, const DebugTarget &target, uint32_t block,
                        const std::vector<uint32_t> &products) {
  std::string out;
  for (const core::Flight &flight : debugger.flights())
    if (flight.kind == core::Flight::Kind::Wgmma && flight.warp.block == block &&
        std::ranges::find(products, flight.place.ptxLine) != products.end()) {
      std::string line = target.snippet && flight.place.snippetLine
                             ? text("line ", flight.place.snippetLine)
                             : text("line ", flight.place.ptxLine, " of the PTX");
      if (!flight.landed)
        return text("the product of ", line, " is in flight, and not yet added");
      out = text("the product of ", line, " is in flight: it is added here, but the warp has not waited for it");
    }
  return out;
}

std::string lineWords(const DebugTarget &target, const core::Debugger &debugger, uint32_t ptxLine) {
  uint32_t line = debugger.snippetLineOf(ptxLine);
  return target.snippet && line ? text("line ", line) : text("line ", ptxLine, " of the PTX");
}

/// Writes the elements of one warp into the array. A register holds one element, or two narrower elements.
void place(const layouts::ElementMap &map, uint32_t warpOfGroup,
           std::span<const std::optional<core::RegisterValue>> registers, core::Array &array) {
  auto bytes = static_cast<size_t>(layouts::hostBytes(array.dtype));
  auto values = static_cast<size_t>(map.values());
  int width = layouts::bitwidth(array.dtype);
  size_t packed = width < 32 && registers.size() * 2 == values ? 2 : 1;
  for (size_t n = 0; n < std::min(registers.size() * packed, values); ++n) {
    const std::optional<core::RegisterValue> &value = registers[n / packed];
    if (!value)
      continue;
    for (uint32_t lane = 0; lane < 32; ++lane) {
      uint64_t bits = value->lanes[lane] >> (static_cast<size_t>(width) * (n % packed));
      if (width < 8)
        bits &= (1u << width) - 1;
      int32_t element = map.elements()[size_t{warpOfGroup * 32 + lane} * values + n];
      if (element >= 0)
        std::memcpy(array.bytes.data() + static_cast<size_t>(element) * bytes, &bits, bytes);
    }
  }
}

} // namespace

const MarkedValue::Mark &MarkedValue::known() const {
  auto found = std::ranges::find(marks, false, &Mark::unknown);
  return found == marks.end() ? marks.front() : *found;
}

std::vector<uint32_t> MarkedValue::lines() const {
  std::vector<uint32_t> out;
  for (const Mark &mark : marks)
    out.push_back(mark.ptxLine);
  return out;
}

MarkedValues::MarkedValues(const DebugTarget &target) {
  constexpr std::string_view kElement = "// lanescope: element ", kMark = "pmevent 0; // lanescope: ";
  std::string_view rest = target.ptx->text();
  std::vector<std::string> registers;
  Products products;
  for (uint32_t number = 1; !rest.empty(); ++number) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (line.starts_with(kElement)) {
      registers.emplace_back(line.substr(kElement.size()));
      continue;
    }
    products.read(line, number);
    if (!line.starts_with(kMark))
      continue;
    line.remove_prefix(kMark.size());
    MarkedValue::Mark mark{.ptxLine = number, .registers = std::exchange(registers, {}), .type = {}};
    std::string_view kind = takeWord(line);
    mark.unknown = kind == "unknown";
    if (kind == "scalar")
      mark.type = takeWord(line);
    else if (kind == "array" || kind == "product")
      mark.value = parseInteger<int>(takeWord(line)).value_or(-1);
    else if (!mark.registers.empty() && mark.registers.front().starts_with(kDynamic)) {
      mark.ref = takeRef(line);
      mark.offset =
          parseInteger<uint32_t>(std::string_view(mark.registers.front()).substr(kDynamic.size())).value_or(0);
    }
    if (kind == "product") {
      mark.registers = products.registers;
      mark.products = products.lines;
    }
    std::string name(takeWord(line));
    bool known =
        !mark.type.empty() || mark.ref || (mark.value >= 0 && static_cast<size_t>(mark.value) < target.values.size());
    if (name.empty() || (!mark.unknown && (mark.registers.empty() || !known)))
      continue;
    MarkedValue &value = values_[name];
    value.name = name;
    value.marks.push_back(std::move(mark));
  }
  std::erase_if(values_, [](const auto &one) { return one.second.known().unknown; });
  for (size_t n = 0; n < target.tensorArrays.size(); ++n)
    if (const std::string &name = target.tensorArrays[n].array.name; !values_.contains(name))
      values_[name] = {name, {}, static_cast<int>(n)};
}

const MarkedValue *MarkedValues::find(std::string_view name) const {
  auto it = values_.find(name);
  return it == values_.end() ? nullptr : &it->second;
}

int64_t scalarOf(const MarkedValue::Mark &mark, uint64_t bits) {
  return mark.type == "index" || mark.type == "i64" ? static_cast<int64_t>(bits)
         : mark.type == "i32"                       ? static_cast<int32_t>(bits)
         : mark.type == "i16"                       ? static_cast<int16_t>(bits)
                                                    : static_cast<int64_t>(bits);
}

static Result<RecoveredValue> inShared(const core::Debugger &debugger, uint32_t block, const std::string &name,
                                       const MarkedValue::Mark &mark) {
  RecoveredValue out;
  out.tile = LANESCOPE_TRY(tileOf(*mark.ref, name, debugger.dynamicShared() + mark.offset));
  out.array = LANESCOPE_TRY(readTile(debugger, block, *out.tile));
  return out;
}

std::vector<viz::DebugTile> tilesOf(const core::Debugger &debugger, const MarkedValues &values) {
  std::vector<viz::DebugTile> out;
  for (const auto &[name, value] : values.all())
    for (const MarkedValue::Mark &mark : value.marks)
      if (mark.ref)
        if (auto tile = tileOf(*mark.ref, name, debugger.dynamicShared() + mark.offset))
          out.push_back(*std::move(tile));
  return out;
}

Result<RecoveredValue> recover(core::Debugger &debugger, const DebugTarget &target, const MarkedValue &value,
                               core::WarpRef focus) {
  if (value.tensor >= 0) {
    const layouts::TmemArray &array = target.tensorArrays[static_cast<size_t>(value.tensor)].array;
    return RecoveredValue{LANESCOPE_TRY(readTensor(debugger, focus.block, array))};
  }
  if (const MarkedValue::Mark &mark = value.marks.front(); value.marks.size() == 1 && mark.ref)
    return inShared(debugger, focus.block, value.name, mark);
  std::vector<core::WarpRef> warps{focus};
  bool inRegisters = std::ranges::any_of(value.marks, [](const auto &mark) { return mark.value >= 0; });
  if (inRegisters) {
    warps.clear();
    for (uint32_t n = 0; n < kWarps; ++n)
      warps.push_back({focus.block, focus.warp / kWarps * kWarps + n});
  }
  auto passed = debugger.lastAt(warps, value.lines());
  RecoveredValue out;
  std::vector<const MarkedValue::Mark *> marks;
  std::vector<uint64_t> moments;
  for (size_t n = 0; n < warps.size(); ++n) {
    if (!passed[n])
      return error(kValueKind, Message("`{name}` has no value yet in warp {warp} of {}; it gets one at {}", value.name,
                                       warps[n].warp, core::blockWords(target.launch, warps[n].block),
                                       lineWords(target, debugger, value.known().ptxLine)));
    marks.push_back(&*std::ranges::find(value.marks, passed[n]->ptxLine, &MarkedValue::Mark::ptxLine));
    moments.push_back(passed[n]->moment);
    if (marks.back() != marks.front())
      out.remark = text("warps of the warpgroup are at different places: warp ", warps[0].warp, " has that of ",
                        lineWords(target, debugger, passed[0]->ptxLine), ", warp ", warps[n].warp, " that of ",
                        lineWords(target, debugger, passed[n]->ptxLine));
  }
  for (size_t n = 0; n < marks.size(); ++n)
    if (marks[n]->unknown)
      return error(kValueKind, Message("the debugger does not follow the value that {} writes to `{name}`; after the "
                                       "next `wgmma` it has a value again",
                                       lineWords(target, debugger, passed[n]->ptxLine), value.name));
  auto kindOf = [&](const MarkedValue::Mark &one) {
    const core::ValueLayout *layout = one.value < 0 ? nullptr : &target.values[static_cast<size_t>(one.value)];
    return layout ? layout->type + layout->layout : one.ref ? one.ref->type() : one.type;
  };
  for (const MarkedValue::Mark *other : marks)
    if (kindOf(*other) != kindOf(*marks.front()))
      return error(kValueKind,
                   Message("{}, which has another layout; step on until all warps have the same", out.remark));
  // The registers may have been overwritten since then, so read them at the mark, where they held the value.
  using Registers = std::vector<std::optional<core::RegisterValue>>;
  std::vector<Registers> held(warps.size());
  for (size_t n = 0; n < warps.size(); ++n)
    if (!marks[n]->products.empty())
      for (const std::string &name : marks[n]->registers)
        held[n].push_back(debugger.registerOf(warps[n], name));
  if (std::string flight = flightWords(debugger, target, focus.block, marks.front()->products); !flight.empty())
    out.remark = out.remark.empty() ? flight : text(out.remark, "; ", flight);
  debugger.lookBack(moments, [&](uint64_t moment) {
    for (size_t n = 0; n < warps.size(); ++n)
      if (moments[n] == moment && marks[n]->products.empty())
        for (const std::string &name : marks[n]->registers)
          held[n].push_back(debugger.registerOf(warps[n], name));
  });
  const MarkedValue::Mark &mark = *marks.front();
  if (mark.ref)
    return inShared(debugger, focus.block, value.name, mark);
  if (mark.value < 0) {
    auto dtype = dtypeOf(mark.type);
    if (!dtype)
      return error(kValueKind, Message("`{name}` is of the type {}, which is not followed", value.name, mark.type));
    out.array = core::Array::zeros(*dtype, {32});
    const auto &found = held.front().front();
    auto bytes = static_cast<size_t>(layouts::hostBytes(out.array.dtype));
    for (size_t lane = 0; found && lane < 32; ++lane)
      std::memcpy(out.array.bytes.data() + lane * bytes, &found->lanes[lane], bytes);
    return out;
  }
  out.layout = &target.values[static_cast<size_t>(mark.value)];
  layouts::Layout layout =
      LANESCOPE_TRY(layouts::parseLayout(Source::make("the layout of " + value.name, out.layout->layout)));
  const auto *registers = std::get_if<layouts::RegisterLayout>(&layout);
  size_t bracket = out.layout->type.find('[');
  layouts::Shape shape;
  for (std::string_view dims = std::string_view(out.layout->type).substr(bracket + 1); !dims.empty();) {
    size_t digits = std::min(dims.find_first_not_of("0123456789"), dims.size());
    if (auto size = parseInteger<int64_t>(dims.substr(0, digits)))
      shape.push_back(*size);
    dims.remove_prefix(std::min(dims.size(), std::max<size_t>(digits, 1)));
  }
  auto dtype = dtypeOf(out.layout->type.substr(0, bracket));
  if (!dtype)
    return error(kValueKind, Message("`{name}` has elements of {}, which are not followed", value.name,
                                     out.layout->type.substr(0, bracket)));
  out.array = core::Array::zeros(*dtype, shape);
  auto bytes = static_cast<size_t>(layouts::hostBytes(out.array.dtype));
  if (registers && std::holds_alternative<layouts::WGSplatFragLayout>(*registers)) {
    const auto &one = held.front().front();
    uint64_t bits = one ? one->lanes[0] & (layouts::bitwidth(*dtype) == 4 ? 15 : UINT64_MAX) : 0;
    for (size_t at = 0; at < out.array.bytes.size(); at += bytes)
      std::memcpy(out.array.bytes.data() + at, &bits, bytes);
    return out;
  }
  if (!registers)
    return error(kValueKind,
                 Message("`{name}` has the layout {}, which is none of registers", value.name, out.layout->layout));
  layouts::ElementMap map = LANESCOPE_TRY(layouts::ElementMap::of(*registers, shape));
  for (uint32_t n = 0; n < warps.size(); ++n)
    place(map, n, held[n], out.array);
  return out;
}

} // namespace lanescope::repl
