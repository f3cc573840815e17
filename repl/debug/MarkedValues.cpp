#include "repl/debug/MarkedValues.h"

#include "layouts/ElementMap.h"
#include "layouts/notation/Notation.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <algorithm>
#include <cstring>
#include <span>

namespace lanescope::repl {

namespace {

constexpr char kKind[] = "debug-value";
constexpr uint32_t kWarps = 4; // of a warpgroup

/// The word at the front, which is taken away.
std::string_view takeWord(std::string_view &text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  std::string_view word = text.substr(0, text.find_first_of(" \t"));
  text.remove_prefix(word.size());
  return word;
}

layouts::Dtype dtypeOf(std::string_view type) {
  if (type == "index")
    return layouts::Dtype::I64;
  if (type == "i1")
    return layouts::Dtype::I1;
  return layouts::dtypeNamed(type).value_or(layouts::Dtype::I32);
}

std::string lineWords(const DebugTarget &target, const core::Debugger &debugger, uint32_t ptxLine) {
  uint32_t line = debugger.snippetLineOf(ptxLine);
  return target.snippet && line ? text("line ", line) : text("line ", ptxLine, " of the PTX");
}

/// The elements of one warp, into the array.
void place(const layouts::ElementMap &map, uint32_t warpOfGroup,
           std::span<const std::optional<core::RegisterValue>> registers, core::Array &array) {
  auto bytes = static_cast<size_t>(layouts::hostBytes(array.dtype));
  for (size_t n = 0; n < registers.size(); ++n) {
    const std::optional<core::RegisterValue> &value = registers[n];
    if (!value)
      continue;
    for (uint32_t lane = 0; lane < 32; ++lane) {
      size_t slot = size_t{warpOfGroup * 32 + lane} * static_cast<size_t>(map.values()) + n;
      if (slot < map.elements().size() && map.elements()[slot] >= 0)
        std::memcpy(array.bytes.data() + static_cast<size_t>(map.elements()[slot]) * bytes, &value->lanes[lane], bytes);
    }
  }
}

} // namespace

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
  for (uint32_t number = 1; !rest.empty(); ++number) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (line.starts_with(kElement)) {
      registers.emplace_back(line.substr(kElement.size()));
      continue;
    }
    if (!line.starts_with(kMark))
      continue;
    line.remove_prefix(kMark.size());
    bool array = takeWord(line) == "array";
    std::string_view what = takeWord(line);
    std::string name(takeWord(line));
    MarkedValue::Mark mark{number, std::exchange(registers, {}), array ? std::string() : std::string(what), -1};
    if (array)
      mark.value = parseInteger<int>(what).value_or(-1);
    if (mark.registers.empty() || name.empty() || mark.value >= static_cast<int>(target.values.size()))
      continue;
    MarkedValue &value = values_[name];
    value.name = name;
    value.marks.push_back(std::move(mark));
  }
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

Result<RecoveredValue> recover(core::Debugger &debugger, const DebugTarget &target, const MarkedValue &value,
                               core::WarpRef focus) {
  std::vector<core::WarpRef> warps{focus};
  if (value.isArray()) {
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
      return error(kKind,
                   text("`", value.name, "` has no value yet in warp ", warps[n].warp, " of block ", warps[n].block,
                        "; it gets one at ", lineWords(target, debugger, value.marks.front().ptxLine)));
    marks.push_back(&*std::ranges::find(value.marks, passed[n]->ptxLine, &MarkedValue::Mark::ptxLine));
    moments.push_back(passed[n]->moment);
    if (marks.back() != marks.front())
      out.remark = text("warps of the warpgroup are at different places: warp ", warps[0].warp, " has that of ",
                        lineWords(target, debugger, passed[0]->ptxLine), ", warp ", warps[n].warp, " that of ",
                        lineWords(target, debugger, passed[n]->ptxLine));
  }
  auto kindOf = [&](const MarkedValue::Mark &one) {
    const core::ValueLayout *layout = one.value < 0 ? nullptr : &target.values[static_cast<size_t>(one.value)];
    return layout ? layout->type + layout->layout : std::string();
  };
  for (const MarkedValue::Mark *other : marks)
    if (kindOf(*other) != kindOf(*marks.front()))
      return error(kKind, text(out.remark, ", which is laid out otherwise; step on until all have the same"));
  // Registers may have been written since; at the mark they held the value.
  using Registers = std::vector<std::optional<core::RegisterValue>>;
  std::vector<Registers> held(warps.size());
  debugger.lookBack(moments, [&](uint64_t moment) {
    for (size_t n = 0; n < warps.size(); ++n)
      if (moments[n] == moment)
        for (const std::string &name : marks[n]->registers)
          held[n].push_back(debugger.registerOf(warps[n], name));
  });
  const MarkedValue::Mark &mark = *marks.front();
  if (mark.value < 0) {
    out.array = core::Array::zeros(dtypeOf(mark.type), {32});
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
  out.array = core::Array::zeros(dtypeOf(out.layout->type.substr(0, bracket)), shape);
  auto bytes = static_cast<size_t>(layouts::hostBytes(out.array.dtype));
  if (registers && std::holds_alternative<layouts::WGSplatFragLayout>(*registers)) {
    const auto &one = held.front().front();
    for (size_t at = 0; one && at < out.array.bytes.size(); at += bytes)
      std::memcpy(out.array.bytes.data() + at, &one->lanes[0], bytes);
    return out;
  }
  if (!registers)
    return error(kKind, text("`", value.name, "` has the layout ", out.layout->layout, ", which is none of registers"));
  layouts::ElementMap map = LANESCOPE_TRY(layouts::ElementMap::of(*registers, shape));
  for (uint32_t n = 0; n < warps.size(); ++n)
    place(map, n, held[n], out.array);
  return out;
}

} // namespace lanescope::repl
