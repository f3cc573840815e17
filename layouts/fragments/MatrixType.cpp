#include "layouts/fragments/MatrixType.h"

#include <algorithm>
#include <array>

namespace lanescope::layouts {

namespace {

enum class Role : uint8_t { Multiplicand, Accumulator, Scale };

struct Entry {
  MatrixType type;
  std::string_view name;
  int bits;
  bool integer;
  std::optional<Dtype> dtype;
  Role role = Role::Multiplicand; // F16 and F64 are accumulators too
};
/// The entries have the order of the enumeration. PTX ISA, "Fundamental Types" and "Alternate Floating-Point Data
/// Formats".
constexpr Entry kEntries[] = {
    {MatrixType::F16, "f16", 16, false, Dtype::F16},
    {MatrixType::BF16, "bf16", 16, false, Dtype::BF16},
    {MatrixType::TF32, "tf32", 32, false, Dtype::TF32},
    {MatrixType::F64, "f64", 64, false, Dtype::F64},
    {MatrixType::E4M3, "e4m3", 8, false, Dtype::F8E4M3FN},
    {MatrixType::E5M2, "e5m2", 8, false, Dtype::F8E5M2},
    {MatrixType::E3M2, "e3m2", 6, false, Dtype::F6E3M2FN},
    {MatrixType::E2M3, "e2m3", 6, false, Dtype::F6E2M3FN},
    {MatrixType::E2M1, "e2m1", 4, false, Dtype::F4E2M1FN},
    {MatrixType::S8, "s8", 8, true, Dtype::I8},
    {MatrixType::U8, "u8", 8, true, Dtype::U8},
    {MatrixType::S4, "s4", 4, true, Dtype::I4},
    {MatrixType::U4, "u4", 4, true, Dtype::U4},
    {MatrixType::B1, "b1", 1, true, std::nullopt},
    {MatrixType::F32, "f32", 32, false, Dtype::F32, Role::Accumulator},
    {MatrixType::S32, "s32", 32, true, Dtype::I32, Role::Accumulator},
    {MatrixType::UE8M0, "ue8m0", 8, false, Dtype::F8E8M0FNU, Role::Scale},
    {MatrixType::UE4M3, "ue4m3", 8, false, Dtype::F8E4M3FN, Role::Scale},
};
constexpr size_t kCount = std::size(kEntries);

constexpr auto kAll = [] {
  std::array<MatrixType, kCount> all{};
  for (size_t i = 0; i < kCount; ++i)
    all[i] = static_cast<MatrixType>(i);
  return all;
}();
static_assert(std::ranges::equal(kEntries, kAll, {}, &Entry::type), "the table is indexed by the enumeration");

constexpr const Entry &entryOf(MatrixType type) { return kEntries[static_cast<size_t>(type)]; }

} // namespace

std::span<const MatrixType> allMatrixTypes() { return kAll; }
std::string_view ptxName(MatrixType type) { return entryOf(type).name; }
int bitsOf(MatrixType type) { return entryOf(type).bits; }
bool isInteger(MatrixType type) { return entryOf(type).integer; }
std::optional<Dtype> dtypeOf(MatrixType type) { return entryOf(type).dtype; }

std::optional<MatrixType> matrixTypeNamed(std::string_view ptxName) {
  const auto *found = std::ranges::find(kEntries, ptxName, &Entry::name);
  return found == std::end(kEntries) ? std::nullopt : std::optional(found->type);
}

std::optional<MatrixType> multiplicandType(Dtype dtype) {
  if (dtype == Dtype::F32)
    return MatrixType::TF32;
  for (const Entry &entry : kEntries)
    if (entry.dtype == dtype && entry.role == Role::Multiplicand)
      return entry.type;
  return std::nullopt;
}

std::optional<MatrixType> accumulatorType(Dtype dtype) {
  for (const Entry &entry : kEntries)
    if (entry.dtype == dtype && entry.role != Role::Scale)
      return entry.type;
  return std::nullopt;
}

} // namespace lanescope::layouts
