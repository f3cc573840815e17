#include "layouts/Dtype.h"

#include <array>

namespace lanescope::layouts {

namespace {

enum class Family : uint8_t { Signed, Unsigned, Boolean, Float };

struct Traits {
  Dtype dtype;
  std::string_view name;
  int bits;
  Family family;
};

constexpr Traits kTraits[] = {
    {Dtype::I1, "i1", 1, Family::Boolean},
    {Dtype::I4, "i4", 4, Family::Signed},
    {Dtype::I8, "i8", 8, Family::Signed},
    {Dtype::I16, "i16", 16, Family::Signed},
    {Dtype::I32, "i32", 32, Family::Signed},
    {Dtype::I64, "i64", 64, Family::Signed},
    {Dtype::U2, "u2", 2, Family::Unsigned},
    {Dtype::U4, "u4", 4, Family::Unsigned},
    {Dtype::U8, "u8", 8, Family::Unsigned},
    {Dtype::U16, "u16", 16, Family::Unsigned},
    {Dtype::U32, "u32", 32, Family::Unsigned},
    {Dtype::U64, "u64", 64, Family::Unsigned},
    {Dtype::F16, "f16", 16, Family::Float},
    {Dtype::BF16, "bf16", 16, Family::Float},
    {Dtype::F32, "f32", 32, Family::Float},
    {Dtype::F64, "f64", 64, Family::Float},
    {Dtype::TF32, "tf32", 32, Family::Float},
    {Dtype::F8E4M3FN, "f8e4m3fn", 8, Family::Float},
    {Dtype::F8E5M2, "f8e5m2", 8, Family::Float},
    {Dtype::F8E8M0FNU, "f8e8m0fnu", 8, Family::Float},
    {Dtype::F6E2M3FN, "f6e2m3fn", 8, Family::Float},
    {Dtype::F6E3M2FN, "f6e3m2fn", 8, Family::Float},
    {Dtype::F4E2M1FN, "f4e2m1fn", 4, Family::Float},
};
constexpr size_t kCount = std::size(kTraits);

constexpr auto kAll = [] {
  std::array<Dtype, kCount> all{};
  for (size_t i = 0; i < kCount; ++i)
    all[i] = kTraits[i].dtype;
  return all;
}();

static_assert(
    [] {
      for (size_t i = 0; i < kCount; ++i)
        if (static_cast<size_t>(kTraits[i].dtype) != i)
          return false;
      return true;
    }(),
    "kTraits is indexed by the enumerator");

const Traits &traits(Dtype dtype) { return kTraits[static_cast<size_t>(dtype)]; }

} // namespace

std::string_view name(Dtype dtype) { return traits(dtype).name; }

std::optional<Dtype> dtypeNamed(std::string_view name) {
  for (const Traits &t : kTraits)
    if (t.name == name)
      return t.dtype;
  return std::nullopt;
}

std::span<const Dtype> allDtypes() { return kAll; }
int bitwidth(Dtype dtype) { return traits(dtype).bits; }
std::optional<Dtype> dtypeOfWidth(int bits) {
  switch (bits) {
  case 1: return Dtype::I1;
  case 4: return Dtype::I4;
  case 8: return Dtype::I8;
  case 16: return Dtype::F16;
  case 32: return Dtype::F32;
  case 64: return Dtype::F64;
  default: return std::nullopt;
  }
}
int hostBytes(Dtype dtype) { return (traits(dtype).bits + 7) / 8; }
bool isFloat(Dtype dtype) { return traits(dtype).family == Family::Float; }
bool isSignedInteger(Dtype dtype) { return traits(dtype).family == Family::Signed; }
bool isUnsignedInteger(Dtype dtype) { return traits(dtype).family == Family::Unsigned; }
bool isInteger(Dtype dtype) { return !isFloat(dtype); }

} // namespace lanescope::layouts
