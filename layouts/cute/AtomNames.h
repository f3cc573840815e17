// CuTe's atom names as text, without namespaces, wrappers and template arguments. Private to cute/.
//
//   atomName("MMA_Atom<SM90::GMMA::MMA_64x64x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::K>>{}")
//     ->  {"SM90_64x64x16_F32F16F16_SS", {"GMMA::Major::K", "GMMA::Major::K"}}
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::layouts::cute {

struct AtomName {
  std::string name;
  std::vector<std::string> arguments; // its template arguments
};
AtomName atomName(std::string_view text);

/// The parts of `words` between blanks.
std::vector<std::string_view> wordsOf(std::string_view words);
/// Bits of a type by its name in C++, CUDA, CuTe DSL, MLIR or PTX: half_t, float_e4m3_t, cute::uint128_t, float4,
/// complex<float>, cutlass.Float32, f16, b128, f64x2; nothing for others. `uint4` is CUDA's vector.
std::optional<int> bitsOfType(std::string_view type);
/// A suggestion of the nearest name, "; did you mean `…`?"; empty if no name is near.
std::string nearestAtom(std::string_view name, const std::vector<std::string> &names);

} // namespace lanescope::layouts::cute
