// A PTX file as data. The parser makes it, and the decoder converts it to runnable instructions.
//
//   @!%p1 ld.global.v2.b32 {%r1, %r2}, [%rd6+1024];
//     -> guard %p1 (negated), opcode "ld.global.v2.b32", operands Vector{%r1, %r2} and Address{%rd6, +1024}
//
// Names are views into the source text, which `Module::source` keeps alive. Nothing is resolved here: registers and
// labels keep their names and the scope in which they occur (inline assembly opens scopes with `{ }`).
#pragma once

#include "layouts/support/Source.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::core::emulator {

struct Operand {
  enum class Kind : uint8_t {
    Name,    // a register, special register, variable, label or function
    Integer, // `bits`, sign-extended to 64
    Float32, // 0f… in `bits`
    Float64, // 0d… or a decimal literal, as binary64 in `bits`
    Sink,    // _
    Vector,  // {a, b, …}
    Address, // [base + offset] or [base + offset, parts…]; parts[0] is the base
    Pair,    // a|b
    List,    // (a, b, …) in a call
  };
  Kind kind = Kind::Name;
  bool negated = false; // !p
  std::string_view name;
  uint64_t bits = 0;
  int64_t offset = 0; // only for an Address
  std::vector<Operand> parts;
};

struct Instruction {
  std::string_view opcode;
  std::string_view guard; // empty: no guard
  bool guardNegated = false;
  std::vector<Operand> operands;
  uint32_t begin = 0, end = 0; // byte range in the source
  uint32_t scope = 0;
  uint32_t loc = 0; // index into Module::locs; 0: no `.loc` applies
};

/// A `.loc` directive; entry 0 means "unknown".
struct SourceLoc {
  uint32_t file = 0, line = 0, column = 0;
  uint32_t inlinedAt = 0; // index into Module::frames: the place where its function is inlined; 0: it is not inlined
  uint32_t function = 0;  // index into Module::inlined: the inlined function that contains the place; 0: none
  bool operator==(const SourceLoc &) const = default;
};

/// A function that `.loc` directives name as inlined, and the line range of its code.
struct InlinedFunction {
  uint32_t firstLine = UINT32_MAX, lastLine = 0;
};

/// A `.reg` declaration: one name, or `prefix<count>`.
/// The kind that a register was declared with. Bits fit any instruction of their size (PTX ISA, "Operand Type
/// Information").
enum class RegisterKind : uint8_t { Bits, Integer, Float, Halves };

struct RegisterDecl {
  std::string_view name;
  uint32_t count = 0; // 0: a single name
  uint8_t bits = 32;  // 1: predicate
  RegisterKind kind = RegisterKind::Bits;
  uint32_t scope = 0;
  uint32_t begin = 0; // byte in the source, from which on the names are known
};

struct Label {
  std::string_view name;
  uint32_t scope = 0;
  uint32_t instruction = 0; // index of the instruction that follows the label
};

/// `label: .branchtargets a, b;` for brx.idx.
struct BranchTargets {
  std::string_view name;
  uint32_t scope = 0;
  std::vector<std::string_view> labels;
};

/// Shared: the shared memory of the accessing block. SharedCluster: that of any block of the cluster.
enum class Space : uint8_t { Generic, Global, Shared, Const, Local, Param, SharedCluster };

/// `label: .callprototype (results) _ (parameters);` for indirect calls.
struct Prototype {
  std::string_view name;
  uint32_t scope = 0;
  size_t results = 0, params = 0;
};

/// The address of a variable or function in an initialiser: `{generic(table) + 4, handler}`.
struct InitialAddress {
  uint64_t at = 0; // byte in the variable
  std::string_view name;
  int64_t offset = 0;
  uint8_t bytes = 8;
  bool generic = false;
  uint8_t shift = 0; // `0xFF00(name)`: one byte of the address, beginning at this bit
};

/// A variable of any state space. An `external` shared array without a size is the dynamic shared memory.
struct Variable {
  std::string_view name;
  Space space = Space::Global;
  uint32_t scope = 0;
  uint32_t align = 1;
  uint64_t bytes = 0;
  bool external = false;
  bool scalar = true; // true if declared without [ ]
  bool byteType = false;
  RegisterKind kind = RegisterKind::Bits;
  bool isRegister = false;               // a function parameter declared `.reg` instead of `.param`
  std::vector<uint8_t> initial;          // empty: zeros
  std::vector<InitialAddress> addresses; // these replace bytes of `initial`
  uint32_t begin = 0;
};

struct Function {
  std::string_view name;
  bool entry = false;
  bool defined = false;
  std::vector<Variable> params, results;
  std::vector<Variable> variables; // declared in the body
  std::vector<RegisterDecl> registers;
  std::vector<Label> labels;
  std::vector<BranchTargets> branchTargets; // includes `.calltargets`, whose labels are functions
  std::vector<Prototype> prototypes;
  std::vector<Instruction> instructions;
  std::vector<uint32_t>
      // Scope id -> parent. The outermost scope of a body is its own parent; in the first body, it is scope 0.
      scopeParents;
  uint32_t maxThreads = 0;           // .maxntid product, 0: not given
  uint32_t minBlocks = 0;            // .minnctapersm; 0: not given
  uint32_t maxRegisters = 0;         // .maxnreg; 0: not given
  std::array<uint32_t, 3> cluster{}; // .reqnctapercluster; zeros: not given
  uint32_t maxClusterRank = 0;       // .maxclusterrank; 0: not given
  bool explicitCluster = false;      // .explicitcluster
  uint32_t begin = 0;
};

struct Module {
  SourceRef source;
  std::string_view target;             // "sm_90a"
  int version = 0;                     // ten times `.version`
  std::vector<std::string_view> files; // by .file number
  // The sources in which findings are placed (LineSources.h); empty: findings are placed in the PTX.
  std::vector<SourceRef> sources;
  std::vector<SourceLoc> locs{{}};
  std::vector<SourceLoc> frames{{}}; // places where functions are inlined
  std::vector<InlinedFunction> inlined{{}};
  std::vector<Variable> variables;
  std::vector<Function> functions;
  std::vector<std::array<std::string_view, 2>> aliases; // a name, and the function for which it stands
  /// Names that the text does not contain in one piece: `xor` and `.b32` with blanks between them, elements of vectors.
  std::vector<std::shared_ptr<const std::string>> made;
};

} // namespace lanescope::core::emulator
