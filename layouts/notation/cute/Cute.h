// CuTe's notations: the prints of C++ and of CuTe DSL, C++ types, MLIR types, the spellings of other tools, and
// printouts of atoms.
//
//   (_8,_64):(_64,_1)          Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)          (128,64):(1@0,1@1)
//   S<3,4,3> o 0 o (5,4):(4,1)          (?{div=2},4):(1,?)          !cute.layout<"(4,8):(1,4)">
//   Layout<Shape<_4,_8>,Stride<_8,_1>>          composition(Swizzle<3,3,3>{}, Layout<Shape<_8,_64>,Stride<_64,_1>>{})
//   (4, 8) : (1, 4)          Layout((4, 2), (1, 4))          ((8,8):(8,1)) o {4} o (4:2)          8          (4,8)
//   MMA_Atom  ThrID: _32:_1  Shape_MNK: (_16,_8,_16)  LayoutA_TV: …  LayoutB_TV: …  LayoutC_TV: …
//
// A shape alone has column-major strides. From a printout, parseCute takes the accumulator (LayoutC_TV; in a TiledMMA,
// the one for its whole tile), or a TiledCopy's TiledLayout_TV, or an atom's ValLayoutDst. readPrintout gives all.
#pragma once

#include "layouts/cute/CuteLayout.h"
#include "layouts/notation/text/Scanner.h"
#include "layouts/Placement.h"

#include <string>
#include <utility>
#include <vector>

namespace lanescope::layouts {

/// True if a text begins like CuTe's texts. The rest may still be wrong.
bool looksLikeCute(std::string_view text);
/// Reads one layout (a cute::CuteLayout). `remarks` lists the printout's other operands.
Result<Layout> parseCute(Scanner &in, Diagnostics *remarks);
/// Reads one layout that fills the whole text.
Result<cute::CuteLayout> readCute(std::string_view text);
/// A tile: `[(4,8):(1,4);_]`, `(_8:_2,_16)`, `(3,8)`, one layout per line (KZ), or a single layout.
Result<cute::Tiler> readCuteTile(std::string_view text);
Result<cute::IntTuple> readCuteTuple(std::string_view text);
/// The (thread, value) layouts of a printout by their labels: LayoutA_TV, LayoutB_TV, LayoutC_TV; TiledLayout_TV;
/// ValLayoutSrc, ValLayoutDst, ValLayoutRef. In a TiledMMA, LayoutA_TV, … are the layouts for its tile, and
/// AtomLayoutA_TV, … are those of the atom.
Result<std::vector<std::pair<std::string, cute::CuteLayout>>> readPrintout(Scanner &in);
/// True if a text begins with a heading of CuTe's printouts, such as `MMA_Atom` or `TiledMMA`. The printout's lines
/// follow the heading.
bool beginsPrintout(std::string_view text);
/// Like readPrintout, but also reads an atom's name (CuteAtoms.h).
Result<std::vector<std::pair<std::string, cute::CuteLayout>>> readOperands(Scanner &in);

/// C++'s print, CuTe DSL's print, or the C++ type.
enum class CuteStyle { Cpp, Dsl, Type };
/// parseCute reads all three styles back. From Cpp it gets an equal layout, from Dsl a layout without static integers,
/// from Type a layout with only static integers. Error: the type form of a layout that has no C++ type (a pointer, a
/// printout's operand).
Result<std::string> cuteText(const cute::CuteLayout &layout, CuteStyle style);
/// Converts a map of any language to a CuTe layout: registers to (thread, value) -> column-major index, shared memory
/// to shape:stride, with a swizzle if needed, tensor memory to a tmem_ptr's layout. The result is exact: every entry is
/// compared. Errors say where the map does not have that form.
Result<cute::CuteLayout> toCute(const Placement &placement);
Result<std::string> cuteText(const Placement &placement, CuteStyle style);

} // namespace lanescope::layouts
