// CuTe's notations: what C++ prints, what CuTe DSL prints, C++ types, MLIR types, the spellings of other tools, and
// printouts of atoms.
//
//   (_8,_64):(_64,_1)          Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)          (128,64):(1@0,1@1)
//   S<3,4,3> o 0 o (5,4):(4,1)          (?{div=2},4):(1,?)          !cute.layout<"(4,8):(1,4)">
//   Layout<Shape<_4,_8>,Stride<_8,_1>>          composition(Swizzle<3,3,3>{}, Layout<Shape<_8,_64>,Stride<_64,_1>>{})
//   (4, 8) : (1, 4)          Layout((4, 2), (1, 4))          ((8,8):(8,1)) o {4} o (4:2)          8          (4,8)
//   MMA_Atom  ThrID: _32:_1  Shape_MNK: (_16,_8,_16)  LayoutA_TV: …  LayoutB_TV: …  LayoutC_TV: …
//
// A shape alone has column-major strides. Of a printout, parseCute takes the accumulator (LayoutC_TV, of a TiledMMA
// that of its whole tile), or a TiledCopy's TiledLayout_TV, or an atom's ValLayoutDst; readPrintout gives all.
#pragma once

#include "layouts/cute/CuteLayout.h"
#include "layouts/notation/text/Scanner.h"
#include "layouts/Placement.h"

#include <string>
#include <utility>
#include <vector>

namespace lanescope::layouts {

/// Whether a text is CuTe's, by how it begins; what follows may still be wrong.
bool looksLikeCute(std::string_view text);
/// Reads one layout (a cute::CuteLayout). `remarks` gets what the printout holds besides the operand taken.
Result<Layout> parseCute(Scanner &in, Diagnostics *remarks);
/// The same from a text of its own, to its end.
Result<cute::CuteLayout> readCute(std::string_view text);
/// A tile: `[(4,8):(1,4);_]`, `(_8:_2,_16)`, `(3,8)`, one layout per line (KZ), or a single layout.
Result<cute::Tiler> readCuteTile(std::string_view text);
Result<cute::IntTuple> readCuteTuple(std::string_view text);
/// The (thread, value) layouts of a printout by their labels: LayoutA_TV, LayoutB_TV, LayoutC_TV; of a TiledMMA those
/// of its tile and the atom's as AtomLayoutA_TV, …; TiledLayout_TV; ValLayoutSrc, ValLayoutDst, ValLayoutRef.
Result<std::vector<std::pair<std::string, cute::CuteLayout>>> readPrintout(Scanner &in);
/// Whether a text begins with a heading of CuTe's printouts (`MMA_Atom`, `TiledMMA`, …), whose lines then follow.
bool beginsPrintout(std::string_view text);
/// The same of a printout or of an atom's name (CuteAtoms.h).
Result<std::vector<std::pair<std::string, cute::CuteLayout>>> readOperands(Scanner &in);

/// C++'s print, CuTe DSL's print, or the C++ type.
enum class CuteStyle { Cpp, Dsl, Type };
/// All three are read back: Cpp to an equal layout; Dsl to one without static integers; Type to one with static
/// integers only. Error: the type form of what has no type (a pointer, a printout's operand).
Result<std::string> cuteText(const cute::CuteLayout &layout, CuteStyle style);
/// A map of any language as a CuTe layout: registers as (thread, value) -> column-major index, shared memory as
/// shape:stride, swizzled where that is what it takes, tensor memory as a tmem_ptr's layout. Exact, every entry
/// compared. Errors say where the map is not of that form.
Result<cute::CuteLayout> toCute(const Placement &placement);
Result<std::string> cuteText(const Placement &placement, CuteStyle style);

} // namespace lanescope::layouts
