// Finds instructions that spread arrays over threads by their names: mma, wgmma, tcgen05.ld/st/mma, ldmatrix, stmatrix.
// An Atom has the place of every element of each operand.
//
//   Atom atom = *parseAtom("mma.m16n8k16.f16");             // or "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
//   atom.ptx                                           ->   the full mnemonic
//   atom.find("a")->shape                              ->   {16, 16}
//   *fragment(atom, "a")                               ->   a layout: fragment("mma.m16n8k16.f16", "a")
//   *inputsOf(atom, "d", {3, 5})                       ->   a (3, 0…15), b (0…15, 5), c (3, 5) and their owners
//
// Names are PTX mnemonics. A part of a name may be left out if it follows from the rest. Selectors, which PTX takes as
// operands, are written `selector::1`, `byte_id_a::2`, … Sizes that PTX does not put in a name (tcgen05.mma) are
// written as those of mma: `tcgen05.mma.m128n256k16.f32.f16`. Families are open: any `n` of wgmma, any repeat of
// tcgen05.ld; atoms() lists one instruction of each.
//
// Not here: shared-memory operands, which descriptors place (see SharedMemory.h), and wmma, whose fragments the ISA
// leaves open. Source: PTX ISA 9.1, the section that the atom names.
#pragma once

#include "layouts/fragments/Fragment.h"

#include <string>
#include <string_view>
#include <vector>

namespace lanescope::layouts {

struct Operand {
  std::string name; // "a", "b", "c", "d", "e" (sparsity metadata), "scale_a", "scale_b"; "r", "p" for loads and stores
  std::string type; // PTX: "f16", "e2m1", "b2" (a 2-bit index), "b32"
  int bits = 32;    // bits of one position: those of the container, if the type is narrower
  Shape shape;      // (M, K) for A, or (M, K/2) if stored sparse; (K, N) for B; (M, N) for C and D
  std::string doc;
  // The fragments of the operand; the one for its natural memory is first. Empty if a descriptor places the operand in
  // shared memory.
  std::vector<Fragment> fragments;
};

enum class Instruction { Mma, Wgmma, TmemLoad, TmemStore, TmemMma, LoadMatrix, StoreMatrix };

struct Atom {
  Instruction instruction = Instruction::Mma;
  std::string name;    // canonical short name; parseAtom reads it back
  std::string ptx;     // full mnemonic (for tcgen05.mma without the sizes, which its descriptor holds)
  std::string section; // title in the PTX ISA
  std::string doc;
  int64_t m = 0, n = 0, k = 0; // 0 if the instruction has none
  int threads = 32;            // threads that take part: a warp, or the four warps of a warpgroup
  bool sparse = false;
  std::vector<Operand> operands;

  const Operand *find(std::string_view operand) const;
  /// Like find(), but the error names the operands that exist.
  Result<const Operand *> operand(std::string_view operand) const;
};

/// `span` is the place of the name; errors point into it, say which part is wrong, and suggest a right one.
Result<Atom> parseAtom(std::string_view name, Span span = {});
/// One instruction of each family, in the ISA's order.
const std::vector<Atom> &atoms();

} // namespace lanescope::layouts
