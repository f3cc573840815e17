#include "repl/lang/values/DtypeNames.h"

#include <algorithm>
#include <utility>

namespace lanescope::repl {
namespace {

using enum layouts::Dtype;

/// Each dtype's own name comes first.
constexpr std::pair<std::string_view, layouts::Dtype> kNames[] = {
    {"bool", I1},
    {"bool_", I1},
    {"int4", I4},
    {"int8", I8},
    {"int16", I16},
    {"int32", I32},
    {"int64", I64},
    {"int", I64},
    {"uint2", U2},
    {"uint4", U4},
    {"uint8", U8},
    {"uint16", U16},
    {"uint32", U32},
    {"uint64", U64},
    {"float16", F16},
    {"half", F16},
    {"float32", F32},
    {"single", F32},
    {"float64", F64},
    {"double", F64},
    {"float", F64},
    {"bfloat16", BF16},
    {"float8_e4m3fn", F8E4M3FN},
    {"float8_e5m2", F8E5M2},
    {"float8_e8m0fnu", F8E8M0FNU},
    {"float6_e2m3fn", F6E2M3FN},
    {"float6_e3m2fn", F6E3M2FN},
    {"float4_e2m1fn", F4E2M1FN},
};

} // namespace

std::optional<layouts::Dtype> dtypeOfText(std::string_view text) {
  for (const auto &[known, dtype] : kNames)
    if (known == text)
      return dtype;
  return layouts::dtypeNamed(text);
}

std::string_view numpyName(layouts::Dtype dtype) {
  const auto *found = std::ranges::find(kNames, dtype, [](const auto &name) { return name.second; });
  return found == std::end(kNames) ? layouts::name(dtype) : found->first;
}

} // namespace lanescope::repl
