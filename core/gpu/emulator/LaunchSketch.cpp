#include "core/gpu/emulator/LaunchSketch.h"

#include "core/gpu/emulator/ptx/PtxParser.h"
#include "core/gpu/kernel/GpuTarget.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

namespace lanescope::core {

namespace {

using namespace emulator;

constexpr int64_t kElements = 1 << 20; // for a buffer of unknown size
constexpr int64_t kInteger = 256;      // a size, or a stride
constexpr double kReal = 0.5;
constexpr uint32_t kThreads = 128;
constexpr int64_t kSharedAlign = 1024; // alignment of dynamic shared memory
constexpr int64_t kTensorTiles = 4;    // number of tiles along each dimension of an array with a descriptor

/// "u64" of `.param .u64 .ptr .global .align 1 name`.
std::string typeOf(const Module &module, const Variable &param) {
  std::string_view text(module.source->text());
  text = text.substr(param.begin, param.name.data() - (text.data() + param.begin));
  for (std::string_view type :
       {"u8", "s8", "b8", "u16", "s16", "b16", "f16", "u32", "s32", "b32", "f32", "u64", "s64", "b64", "f64"})
    if (size_t at = text.find(lanescope::text(".", type)); at != text.npos)
      return std::string(type);
  return {};
}

bool saysPointer(const Module &module, const Variable &param) {
  std::string_view text(module.source->text());
  return text.substr(param.begin, param.name.data() - (text.data() + param.begin)).find(".ptr") != text.npos;
}

/// The type of the elements that an access with this opcode moves.
std::optional<Dtype> accessed(std::string_view opcode) {
  std::string_view type = opcode.substr(opcode.rfind('.') + 1);
  constexpr std::pair<std::string_view, Dtype> kTypes[] = {
      {"f64", Dtype::F64}, {"b64", Dtype::F64},   {"u64", Dtype::I64},    {"s64", Dtype::I64}, {"f32", Dtype::F32},
      {"b32", Dtype::F32}, {"u32", Dtype::I32},   {"s32", Dtype::I32},    {"f16", Dtype::F16}, {"b16", Dtype::F16},
      {"u16", Dtype::I16}, {"s16", Dtype::I16},   {"bf16", Dtype::BF16},  {"b8", Dtype::I8},   {"u8", Dtype::U8},
      {"s8", Dtype::I8},   {"f16x2", Dtype::F16}, {"bf16x2", Dtype::BF16}};
  for (const auto &[name, dtype] : kTypes)
    if (type == name)
      return dtype;
  return std::nullopt;
}

/// How the body uses a parameter's value.
struct Use {
  bool pointer = false, written = false;
  std::optional<Dtype> element;
};

/// Follows the values of parameters through moves and address arithmetic, in the order of the text.
std::vector<Use> usesOf(const Function &entry) {
  std::vector<Use> uses(entry.params.size());
  std::map<std::string_view, size_t> holds; // register -> index of the parameter whose value it holds
  auto paramOf = [&](std::string_view name) {
    auto found = std::ranges::find(entry.params, name, &Variable::name);
    return static_cast<size_t>(found - entry.params.begin());
  };
  auto heldBy = [&](const Operand &operand) -> std::optional<size_t> {
    const Operand &base = operand.kind == Operand::Kind::Address && !operand.parts.empty() ? operand.parts[0] : operand;
    auto found = holds.find(base.name);
    return found == holds.end() ? std::nullopt : std::optional(found->second);
  };
  for (const Instruction &instruction : entry.instructions) {
    std::string_view op = instruction.opcode;
    const std::vector<Operand> &operands = instruction.operands;
    if (operands.empty())
      continue;
    auto begins = [&](std::string_view word) { return op.starts_with(word); };
    if (begins("ld.param")) {
      const Operand &from = operands.back();
      size_t param = from.parts.empty() ? entry.params.size() : paramOf(from.parts[0].name);
      if (param < entry.params.size() && operands[0].kind == Operand::Kind::Name)
        holds[operands[0].name] = param;
      continue;
    }
    bool moves = begins("cvta") || begins("add") || begins("mov") || begins("mad") || begins("sub") || begins("selp");
    if (moves) {
      std::optional<size_t> from;
      for (size_t n = 1; n < operands.size() && !from; ++n)
        from = heldBy(operands[n]);
      if (from && operands[0].kind == Operand::Kind::Name)
        holds[operands[0].name] = *from;
      if (from && begins("cvta.to.global"))
        uses[*from].pointer = true;
      continue;
    }
    bool load = begins("ld"), store = begins("st") || begins("red"), both = begins("atom"), copy = begins("cp.");
    if (!load && !store && !both && !copy)
      continue;
    for (size_t n = 0; n < operands.size(); ++n) {
      auto param = operands[n].kind == Operand::Kind::Address ? heldBy(operands[n]) : std::nullopt;
      if (!param)
        continue;
      Use &use = uses[*param];
      use.pointer = true;
      use.written |= store || both || (copy && n == 0);
      if (!use.element && !copy)
        use.element = accessed(op);
    }
  }
  return uses;
}

class Sketcher {
public:
  Sketcher(const Module &module, const Function &entry, const SketchOptions &options)
      : module_(module), entry_(entry), options_(options) {}

  Result<LaunchSketch> sketch() {
    Launch &launch = sketch_.launch;
    launch.entry = entry_.name;
    launch.dynamicSmem = options_.dynamicSmem;
    launch.cluster = entry_.cluster[0] ? entry_.cluster : options_.cluster;
    launch.grid = options_.grid.value_or(launch.cluster);
    if (!options_.grid)
      guess("`grid`", launch.cluster == std::array<uint32_t, 3>{1, 1, 1} ? "one block" : "one cluster");
    uint32_t otherwise = options_.leastThreads ? options_.leastThreads : kThreads;
    launch.block = {options_.threads ? options_.threads : entry_.maxThreads ? entry_.maxThreads : otherwise, 1, 1};
    if (!options_.threads && !entry_.maxThreads && !options_.leastThreads)
      guess("`block`", text(kThreads, " threads"));
    if (!options_.dynamicSmem && std::ranges::any_of(module_.variables, [](const Variable &v) {
          return v.space == Space::Shared && v.external;
        }))
      guessSharedMemory();
    uses_ = usesOf(entry_);
    for (size_t n = 0; n < entry_.params.size(); ++n)
      launch.params.push_back(param(n));
    for (const auto &[name, value] : options_.arguments)
      if (!options_.ofOthersToo && !taken_.contains(name))
        return error("arguments",
                     Message("no parameter of `{name}` that is passed by value is called `{other_name}`; they are {}",
                             entry_.name, name, names_.empty() ? "none" : joined(names_, ", ")));
    if (!problem_.empty())
      return error("arguments", problem_);
    sketch_.taken.assign(taken_.begin(), taken_.end());
    return std::move(sketch_);
  }

private:
  void guess(std::string what, std::string_view is) { sketch_.guesses.push_back(text(what, ": ", is)); }

  /// Takes the most shared memory that a block may have, because PTX does not state how much the kernel uses.
  void guessSharedMemory() {
    int64_t bytes = machineFor(module_.target).sharedBytesPerBlock;
    for (const std::vector<Variable> *some : {&module_.variables, &entry_.variables})
      for (const Variable &variable : *some)
        if (variable.space == Space::Shared && !variable.external)
          bytes -= static_cast<int64_t>((variable.bytes + kSharedAlign - 1) / kSharedAlign * kSharedAlign);
    sketch_.launch.dynamicSmem = static_cast<uint32_t>(std::max<int64_t>(bytes, 0) / kSharedAlign * kSharedAlign);
    guess("`dynamic_smem`", text(sketch_.launch.dynamicSmem, " bytes, the most that a block may have"));
  }

  Param param(size_t n) {
    const Variable &variable = entry_.params[n];
    const ParamHint *hint = n < options_.hints.size() ? &options_.hints[n] : nullptr;
    std::string name = hint && !hint->name.empty() ? hint->name : text(n);
    if (hint && hint->tensorMap) {
      BytesParam made = tensorMap(name, *hint->tensorMap, variable);
      behindMap(made.tensorMaps[0]);
      return made;
    }
    std::string type = typeOf(module_, variable);
    if (!variable.scalar || type.empty())
      return block(name, variable);
    bool pointer =
        type.ends_with("64") && type != "f64" &&
        (saysPointer(module_, variable) || uses_[n].pointer || (hint && (hint->element || hint->bytes >= 0)));
    return pointer ? Param(buffer(name, n, hint)) : Param(scalar(name, n, type));
  }

  BufferParam buffer(const std::string &name, size_t n, const ParamHint *hint) {
    BufferSpec spec;
    spec.name = name;
    spec.dtype = hint && hint->element ? *hint->element : uses_[n].element.value_or(Dtype::F32);
    int64_t size = layouts::hostBytes(spec.dtype);
    bool known = hint && hint->bytes >= 0;
    spec.shape = {known ? std::max<int64_t>(1, hint->bytes / size) : kElements};
    if (uses_[n].written)
      spec.out = text("out_", name, ".npy");
    if (!known)
      guess(text("parameter ", n, ", `", name, "`"), text(layouts::name(spec.dtype), "[", spec.shape[0], "]",
                                                          uses_[n].element || hint ? "" : ", or of another type"));
    return {std::move(spec)};
  }

  ScalarParam scalar(const std::string &name, size_t n, const std::string &type) {
    Dtype dtype = type[0] == 'f'         ? (type == "f16"   ? Dtype::F16
                                            : type == "f32" ? Dtype::F32
                                                            : Dtype::F64)
                  : type.ends_with("64") ? Dtype::I64
                  : type.ends_with("32") ? Dtype::I32
                  : type.ends_with("16") ? Dtype::I16
                                         : Dtype::I8;
    Array one = Array::zeros(dtype, {1});
    auto given = options_.arguments.find(name);
    if (given == options_.arguments.end())
      given = options_.arguments.find(text(n));
    names_.push_back(text("`", name, "`"));
    if (!expected_.empty() && given == options_.arguments.end() && !layouts::isFloat(dtype)) {
      one.setInteger(0, expected_.front());
      expected_.erase(expected_.begin());
    } else if (given != options_.arguments.end()) {
      taken_.insert(given->first);
      char *end = nullptr;
      double value = std::strtod(given->second.c_str(), &end);
      auto integer = parseInteger<int64_t>(given->second);
      if (given->second.empty() || *end || (!layouts::isFloat(dtype) && !integer))
        problem_ = text("`", given->second, "` is no value for `", name, "`, which is ", layouts::name(dtype));
      layouts::isFloat(dtype) ? one.setNumber(0, value) : one.setInteger(0, integer.value_or(0));
    } else {
      int64_t integer = dtype == Dtype::I8 ? 1 : kInteger;
      layouts::isFloat(dtype) ? one.setNumber(0, kReal) : one.setInteger(0, integer);
      guess(text("parameter ", n, ", `", name, "`"),
            text(layouts::name(dtype), " ", layouts::isFloat(dtype) ? std::string("0.5") : text(integer)));
    }
    ScalarParam param{.dtype = dtype};
    std::memcpy(&param.bits, one.bytes.data(), one.bytes.size());
    return param;
  }

  /// Makes a value for a struct. PTX does not state its members.
  BytesParam block(const std::string &name, const Variable &variable) {
    BytesParam param{.size = static_cast<uint32_t>(variable.bytes), .align = std::max(variable.align, 1u)};
    guess(text("parameter `", name, "`"), text(variable.bytes, " bytes of zeros",
                                               variable.bytes % kTensorMapBytes == 0 && variable.align >= 64
                                                   ? "; it may hold TMA descriptors, which go into `tensor_maps`"
                                                   : ""));
    return param;
  }

  BytesParam tensorMap(const std::string &name, TensorMapSpec map, const Variable &variable) {
    BytesParam param{.size = static_cast<uint32_t>(variable.bytes), .align = std::max(variable.align, 64u)};
    map.shape.clear();
    for (int64_t box : map.box)
      map.shape.push_back(box * kTensorTiles);
    map.stridesBytes.clear();
    int64_t stride = layouts::hostBytes(map.dtype);
    for (size_t n = map.shape.size(); n-- > 1;)
      map.stridesBytes.insert(map.stridesBytes.begin(), stride *= map.shape[n]);
    BufferSpec spec{.dtype = map.dtype, .shape = map.shape};
    spec.name = name;
    guess(text("the array of the descriptor `", name, "`"),
          text(layouts::name(map.dtype), "[", joined(map.shape, ", "), "]"));
    param.buffers.push_back(std::move(spec));
    param.tensorMaps.push_back(std::move(map));
    return param;
  }

  /// Triton passes an array's sizes and strides, in elements, after the array's descriptor.
  void behindMap(const TensorMapSpec &map) {
    expected_.assign(map.shape.begin(), map.shape.end());
    for (int64_t bytes : map.stridesBytes)
      expected_.push_back(bytes / layouts::hostBytes(map.dtype));
    expected_.push_back(1);
  }

  const Module &module_;
  const Function &entry_;
  const SketchOptions &options_;
  std::vector<int64_t> expected_; // values of the next scalars
  std::vector<Use> uses_;
  LaunchSketch sketch_;
  std::set<std::string> taken_;
  std::vector<std::string> names_; // names of scalars
  std::string problem_;
};

} // namespace

Result<std::vector<std::string>> entryNames(const SourceRef &ptx) {
  auto module = parsePtx(ptx);
  if (!module)
    return std::unexpected(std::move(module.error()));
  std::vector<std::string> out;
  for (const Function &function : module->functions)
    if (function.entry && function.defined)
      out.emplace_back(function.name);
  return out;
}

Result<LaunchSketch> sketchLaunch(const SourceRef &ptx, const SketchOptions &options) {
  auto module = parsePtx(ptx);
  if (!module)
    return std::unexpected(std::move(module.error()));
  auto wanted = [&](const Function &function) {
    return function.entry && function.defined && (options.entry.empty() || function.name == options.entry);
  };
  auto entry = std::ranges::find_if(module->functions, wanted);
  if (entry == module->functions.end())
    return error("no-entry", {ptx, 0, 0},
                 options.entry.empty() ? "this PTX has no `.entry`"
                                       : Message("this PTX has no `.entry` of the name `{}`", options.entry));
  return Sketcher(*module, *entry, options).sketch();
}

std::string sketchJson(const LaunchSketch &sketch) {
  nlohmann::ordered_json comment = nlohmann::ordered_json::array();
  comment.push_back("A sketch made from the PTX. These are placeholders; put in what your program passes:");
  for (const std::string &guess : sketch.guesses)
    comment.push_back(guess);
  std::string json = toJson(sketch.launch);
  return text("{\n \"comment\": ", comment.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace), ",",
              json.substr(1));
}

Array sampleArray(const BufferSpec &buffer, uint32_t seed) {
  Array array = Array::zeros(buffer.dtype, buffer.shape);
  uint64_t state = seed;
  constexpr uint64_t kSteps = 9; // from -1 to 1 in quarters
  // Computes one period of values in the array's format, then repeats it.
  constexpr int64_t kPeriod = 4093; // a prime, so that rows of common lengths differ
  BufferSpec few = buffer;
  few.shape = {std::min<int64_t>(kPeriod, array.size())};
  Array period = Array::zeros(few.dtype, few.shape);
  for (int64_t i = 0; i < period.size(); ++i) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    auto step = static_cast<int64_t>((state >> 33) % kSteps);
    if (layouts::isFloat(buffer.dtype))
      period.setNumber(i, static_cast<double>(step) * 0.25 - 1);
    else
      period.setInteger(i, layouts::bitwidth(buffer.dtype) == 1 ? step & 1 : step);
  }
  for (size_t at = 0; at < array.bytes.size(); at += period.bytes.size())
    std::memcpy(array.bytes.data() + at, period.bytes.data(), std::min(period.bytes.size(), array.bytes.size() - at));
  return array;
}

} // namespace lanescope::core
