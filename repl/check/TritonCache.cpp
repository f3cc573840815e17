#include "repl/check/TritonCache.h"

#include "core/data/Files.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace lanescope::repl {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using core::Dtype;

constexpr uint32_t kLanes = 32;

int64_t integerOr(const Json &json, const char *name, int64_t otherwise) {
  auto found = json.find(name);
  return found != json.end() && found->is_number_integer() ? found->get<int64_t>() : otherwise;
}

/// The dtype of an element type in Triton's IR.
std::optional<Dtype> elementNamed(std::string_view name) {
  constexpr std::pair<std::string_view, Dtype> kNames[] = {{"i1", Dtype::I8},        {"i8", Dtype::I8},
                                                           {"i16", Dtype::I16},      {"i32", Dtype::I32},
                                                           {"i64", Dtype::I64},      {"f16", Dtype::F16},
                                                           {"bf16", Dtype::BF16},    {"f32", Dtype::F32},
                                                           {"f64", Dtype::F64},      {"f8E4M3FN", Dtype::F8E4M3FN},
                                                           {"f8E5M2", Dtype::F8E5M2}};
  for (const auto &[known, dtype] : kNames)
    if (name == known)
      return dtype;
  return std::nullopt;
}

/// Sets the element type of a descriptor from Triton's number, which is the number in PTX' `tensormap.replace`, not the
/// driver's.
bool setElement(core::TensorMapSpec &map, int64_t type) {
  constexpr Dtype kTypes[] = {Dtype::U8,  Dtype::U16, Dtype::U32, Dtype::I32,  Dtype::U64,  Dtype::I64, Dtype::F16,
                              Dtype::F32, Dtype::F32, Dtype::F64, Dtype::BF16, Dtype::TF32, Dtype::TF32};
  constexpr int64_t kB4x16 = 13, kB4x16P64 = 14;
  if (type == kB4x16 || type == kB4x16P64) {
    map.dtype = Dtype::U4;
    map.format = type == kB4x16 ? core::TmaFormat::B4x16 : core::TmaFormat::B4x16P64;
    return true;
  }
  if (type < 0 || type >= static_cast<int64_t>(std::size(kTypes)))
    return false;
  map.dtype = kTypes[type];
  return true;
}

struct KernelArgument {
  std::string name, type;
};

/// The arguments of `tt.func public @NAME(%x: !tt.ptr<f32> {…} loc("x"(#loc)), …)`.
std::vector<KernelArgument> argumentsOf(std::string_view ir, const std::string &name) {
  std::vector<KernelArgument> arguments;
  size_t begin = ir.find(text("tt.func public @", name, "("));
  if (begin == ir.npos)
    return arguments;
  begin = ir.find('(', begin) + 1;
  constexpr std::string_view kOpen = "({<[", kClose = ")}>]";
  int depth = 0;
  for (size_t at = begin, from = begin; at < ir.size(); ++at) {
    bool end = ir[at] == ')' && depth == 0;
    depth += kOpen.find(ir[at]) != kOpen.npos;
    depth -= !end && kClose.find(ir[at]) != kClose.npos;
    if (!end && (ir[at] != ',' || depth))
      continue;
    std::string_view part = ir.substr(from, at - from);
    from = at + 1;
    size_t percent = part.find('%'), colon = part.find(": ");
    if (percent < colon && colon != part.npos) {
      std::string_view type = part.substr(colon + 2);
      type = type.substr(0, std::min(type.find(" {"), type.find(" loc(")));
      arguments.push_back({std::string(part.substr(percent + 1, colon - percent - 1)), std::string(type)});
    }
    if (end)
      break;
  }
  return arguments;
}

/// The dtype, box and swizzle of a descriptor.
std::optional<core::TensorMapSpec> tensorMapOf(const Json &meta) {
  constexpr int kSwizzles[] = {0, 32, 64, 128}; // the index is the driver's CUtensorMapSwizzle
  if (!meta.is_object() || !meta.contains("block_size") || !meta["block_size"].is_array())
    return std::nullopt;
  core::TensorMapSpec map;
  int64_t swizzle = integerOr(meta, "swizzle", 0);
  if (!setElement(map, integerOr(meta, "elem_type", -1)) || swizzle < 0 || swizzle > 3)
    return std::nullopt;
  map.swizzle = kSwizzles[swizzle];
  for (const Json &size : meta["block_size"])
    map.box.push_back(size.is_number_integer() ? size.get<int64_t>() : 0);
  bool fits = !map.box.empty() && map.box.size() <= 5 &&
              std::ranges::all_of(map.box, [](int64_t size) { return size >= 1 && size <= 256; });
  return fits ? std::optional(map) : std::nullopt;
}

/// One hint for each PTX parameter that the IR describes.
std::vector<core::ParamHint> hintsOf(const std::vector<KernelArgument> &arguments, const Json &meta) {
  std::vector<core::ParamHint> hints;
  auto maps = meta.find("tensordesc_meta");
  size_t map = 0;
  for (const KernelArgument &argument : arguments) {
    core::ParamHint hint;
    hint.name = argument.name;
    std::string_view type = argument.type;
    if (type.starts_with("!tt.ptr<"))
      hint.element = elementNamed(type.substr(8, type.find_first_of(",>", 8) - 8));
    if (type.starts_with("!tt.tensordesc")) {
      if (maps != meta.end() && maps->is_array() && map < maps->size())
        hint.tensorMap = tensorMapOf((*maps)[map]);
      ++map;
    }
    hints.push_back(std::move(hint));
  }
  return hints;
}

/// The value of a constant such as `%c1024_i32`, from the line that defines it.
std::optional<int64_t> constantOf(std::string_view ir, std::string_view name) {
  std::string line = text(name, " = arith.constant ");
  size_t at = ir.find(line);
  if (at == ir.npos)
    return std::nullopt;
  std::string_view value = ir.substr(at + line.size());
  return parseInteger<int64_t>(value.substr(0, value.find(' ')));
}

int64_t blockOf(std::string_view ir, char axis) {
  int64_t block = 1;
  std::string get = text(" = tt.get_program_id ", std::string(1, axis), " ");
  for (size_t at = ir.find(get); at != ir.npos; at = ir.find(get, at + 1)) {
    size_t begin = ir.rfind('%', at);
    if (begin == ir.npos)
      return 0;
    std::string product = text(" = arith.muli ", ir.substr(begin, at - begin), ", ");
    for (size_t use = ir.find(product); use != ir.npos; use = ir.find(product, use + 1)) {
      std::string_view factor = ir.substr(use + product.size());
      std::optional<int64_t> value = constantOf(ir, factor.substr(0, factor.find_first_of(" \n")));
      if (!value || (block != 1 && *value != block))
        return 0;
      block = *value;
    }
  }
  return block;
}

} // namespace

std::array<int64_t, 3> tritonBlocks(const fs::path &ptx) {
  std::error_code ignored;
  for (const char *extension : {".ttir", ".ttgir"})
    if (fs::path file = fs::path(ptx).replace_extension(extension); fs::exists(file, ignored))
      if (auto ir = core::readSource(file))
        return {blockOf((*ir)->text(), 'x'), blockOf((*ir)->text(), 'y'), blockOf((*ir)->text(), 'z')};
  return {};
}

Result<std::optional<core::SketchOptions>> readTritonKernel(const fs::path &ptx) {
  std::error_code ignored;
  fs::path file = fs::path(ptx).replace_extension(".json");
  if (!fs::exists(file, ignored))
    return std::nullopt;
  SourceRef source = LANESCOPE_TRY(core::readSource(file, core::FileRole::Json));
  Json meta = Json::parse(source->text(), nullptr, false);
  if (meta.is_discarded() || !meta.is_object())
    return error("triton", {source, 0, 0}, "this is no JSON object, so it does not say how Triton launches the kernel");
  if (!meta.contains("num_warps") || !meta.contains("shared"))
    return std::nullopt; // the JSON is not Triton's metadata
  core::SketchOptions options;
  if (auto name = meta.find("name"); name != meta.end() && name->is_string())
    options.entry = name->get<std::string>();
  int64_t warps = integerOr(meta, "num_warps", 0), shared = integerOr(meta, "shared", -1),
          blocks = integerOr(meta, "num_ctas", 1);
  if (warps < 1 || warps > 32 || shared < 0 || shared > INT32_MAX || blocks < 1 || blocks > 16)
    return error("triton", {source, 0, 0}, "`num_warps`, `num_ctas` and `shared` are not what a kernel can have");
  options.dynamicSmem = static_cast<uint32_t>(shared);
  options.cluster = {static_cast<uint32_t>(blocks), 1, 1};
  // A kernel with warp specialisation has more warps than `num_warps` says; its PTX gives their number in `.reqntid`.
  options.threads = 0;
  options.leastThreads = static_cast<uint32_t>(warps) * kLanes;
  for (const char *extension : {".ttgir", ".ttir"}) {
    fs::path ir = fs::path(ptx).replace_extension(extension);
    if (options.hints.empty() && fs::exists(ir, ignored))
      options.hints = hintsOf(
          argumentsOf(LANESCOPE_TRY(core::readSource(ir, core::FileRole::Module))->text(), options.entry), meta);
  }
  if (!options.hints.empty())
    for (const char *scratch : {"global_scratch", "profile_scratch"}) {
      std::string size = text(scratch, "_size");
      options.hints.push_back({.name = scratch, .element = Dtype::U8, .bytes = integerOr(meta, size.c_str(), 0)});
    }
  return options;
}

} // namespace lanescope::repl
