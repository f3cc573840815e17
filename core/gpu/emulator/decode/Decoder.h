// Converts a parsed entry into a Program: resolves registers, variables and labels, and chooses a handler for each
// instruction. Anything that the emulator does not know is an error before the run starts. The error names the
// instruction and its place.
//
// The instruction table (instructions/Families.h) defines the instructions. For each root of an opcode, it has the
// functions that decode such opcodes. The decoder tries them in order.
#pragma once

#include "core/gpu/emulator/decode/DecodedCode.h"
#include "core/gpu/emulator/decode/LinkFunctions.h"
#include "core/gpu/emulator/decode/Modifiers.h"
#include "core/gpu/emulator/decode/RegisterNames.h"
#include "core/gpu/emulator/machine/Program.h"
#include "core/gpu/emulator/machine/StandingMemory.h"
#include "layouts/support/Diagnostic.h"
#include "layouts/support/DiagnosticKind.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace lanescope::core::emulator {

class Decoder;
struct ClockName;
using DecodeFn = bool (*)(Decoder &, Modifiers &, const Instruction &, Instr &);
// Shared memory that the system reserves. Software such as cooperative groups uses its address.
inline constexpr std::string_view kReservedPrefix = "%reserved_smem_offset_";
inline constexpr uint32_t kReservedShared = 1024; // bytes
/// By the first part of an instruction's name: the functions that decode it, in the order in which they are tried.
using InstructionTable = std::unordered_map<std::string_view, std::vector<DecodeFn>>;

class Decoder {
public:
  /// `placed`: the regions of the module's variables; null: the first regions, in order.
  Decoder(Program &program, const InstructionTable &table, const PlacedVariables *placed = nullptr)
      : program_(program), table_(table), placed_(placed), code_{.program = program} {}
  /// Decodes entry `name` of program.module.
  Result<void> run(std::string_view name, uint32_t dynamicSmem);

  /// A register that some instruction names; a `.b128` register has two adjacent slots.
  struct NamedRegister {
    std::string_view name;
    uint32_t scope = 0, slot = kNone, bits = 0;
  };
  std::vector<NamedRegister> registers() const;

  // --- for the families -------------------------------------------------------------------------------------------
  const Instruction &current() const { return *current_; }
  size_t operandCount() const { return current_->operands.size(); }
  const Operand &operand(size_t i) const { return current_->operands[i]; }
  bool failed() const { return failed_; }
  /// Records the error and returns false. Only the first error is kept.
  bool fail(Message message, DiagnosticKind kind = "ptx-operand");
  bool unknown();
  /// Records an error if the module's `.target` is older than `sm` (100 for sm_100). `what` names what needs the newer
  /// one.
  bool requireTarget(unsigned sm, std::string_view what);
  /// Checks the number of operands, and that each part of the opcode was recognised.
  bool finish(const Modifiers &mods, size_t least, size_t most);
  bool finish(const Modifiers &mods, size_t count) { return finish(mods, count, count); }

  uint32_t dest(const Operand &operand, Type type);
  uint32_t dest(const Operand &operand, uint32_t bits);
  uint32_t source(const Operand &operand, Type type);
  uint32_t source(const Operand &operand, uint32_t bits);
  /// A source inside a vector, which may be a special register in any instruction: `st.v2.u32 [a], {%r1, %clock}`.
  /// Outside of vectors, only `mov` and `cvt` read special registers.
  uint32_t element(const Operand &operand, Type type);
  uint32_t predicateDest(const Operand &operand);
  /// A predicate source; `negated` is true for `!p`.
  uint32_t predicate(const Operand &operand, bool &negated);
  /// The width in bits of the register that an operand names; 0 if it names no register.
  uint32_t widthOf(const Operand &operand);
  /// True if an operand names a register declared `.b8`.
  bool isByteRegister(const Operand &operand);
  /// Stores an address's base register (or none) and its offset in `instr`. The address of a variable is added to the
  /// offset.
  bool address(const Operand &operand, Instr &instr, Space space);
  /// Appends an address operand to Program::addresses. An instruction with several of them stores the index of the
  /// first.
  bool addAddress(const Operand &operand, Space space);
  bool immediate(const Operand &operand, uint64_t &value);
  /// Appends the slots of a vector operand, or of a single register, to Program::lists.
  bool destList(const Operand &operand, Type type, Instr &instr, bool exactWidth = true);
  bool destList(const Operand &operand, uint32_t bits, Instr &instr, bool exactWidth = true);
  bool sourceList(const Operand &operand, Type type, Instr &instr, bool exactWidth = true);
  /// Appends the two slots of 128 bits to Program::lists, with the lower 64 bits first. The operand is a `.b128`
  /// register or `{lower, upper}`.
  bool addWide(const Operand &operand, bool write, Instr &instr);
  uint32_t constant(uint64_t bits, uint32_t width);
  uint32_t specialSlot(std::string_view name, uint32_t bits);
  /// A special register or a clock.
  uint32_t specialSource(std::string_view name, Type type);
  uint32_t floatConstant(const Operand &operand, Type type);
  /// Returns a register that holds the clock's value when the current instruction is executed.
  uint32_t clockSlot(const ClockName &clock);
  uint32_t reservedSlot(std::string_view part, uint32_t bits);
  /// The handler of instructions that read clocks (Program::clockUses).
  static Handler clockRunner();
  uint32_t scratch(uint32_t bits);
  /// The slot of the lane mask that add.cc and its variants pass to addc.
  uint32_t carrySlot() { return carry_ == kNone ? carry_ = allocate(1) : carry_; }
  uint32_t labelTarget(std::string_view name);
  const BranchTargets *branchTargets(std::string_view name) const;
  /// Gets a variable's address, or its offset if the variable is in a frame. Also sets its space.
  bool variableAddress(std::string_view name, uint64_t &value, Space &space) const;
  /// The variable with that name that is visible to the current instruction; null if there is none.
  const Variable *variableNamed(std::string_view name) const;
  /// The size of a variable in bytes; 0 if the name is not that of a variable.
  uint32_t variableBytes(std::string_view name) const;
  /// Returns the index in Program::routines; kNone if there is no such function.
  uint32_t routineNamed(std::string_view name) const;
  uint32_t currentRoutine() const { return routine_; }
  /// The register with the address of the current function's frame; kNone in the entry, whose frame is at 0.
  uint32_t frameSlot() const;
  /// True if a call's argument or result matches the parameter: size, kind of number and, for arrays, alignment.
  bool passesAs(const Operand &operand, const Variable &formal);
  /// An argument or a result of a call. If it is a number, it has `bytes` bytes.
  bool callValue(const Operand &operand, uint32_t bytes, CallValue &out);
  const Prototype *prototype(std::string_view name) const;
  /// The 64-bit register that holds the top of the stack.
  uint32_t stackTop();
  void approximate();
  void ignored();
  /// Records that the current instruction may become part of a fused multiply-add.
  void mayFuse(const FusiblePart &part) { code_.fusible.emplace(code_.next(), part); }
  /// Records that ptxas evaluates the current instruction if its argument is a constant. `handler` computes that
  /// result.
  void foldsConstant(Handler handler) { code_.foldable.emplace(code_.next(), handler); }
  Program &program() { return program_; }

private:
  const RegisterRef *findRegister(std::string_view name);
  /// True if a register with that declaration may be an operand of the type.
  bool fits(const RegisterRef &found, Type type, std::string_view name);
  uint32_t allocate(uint32_t bits);
  /// The slot, and an error if the register file is full.
  uint32_t checked(uint32_t slot);
  uint32_t sharedAddress(uint64_t address, uint32_t width);
  void layoutVariables(uint32_t dynamicSmem);
  void layoutFrames();
  void placeParameters(const std::vector<Variable> &from, uint32_t scope, Routine &routine, std::vector<CallValue> &to);
  uint32_t frameAddress(uint64_t offset);
  void keepRegistersOfCallers();
  void resolveInitialisers();
  bool initialValue(const InitialAddress &address, uint64_t &value) const;
  bool decodeInstruction(const Instruction &instruction, Instr &instr);
  void layoutParams();
  void indexDeclarations();
  void noteUse(uint32_t slot, bool write, std::string_view name);

  Program &program_;
  const InstructionTable &table_;
  const PlacedVariables *placed_ = nullptr;
  const Function *function_ = nullptr;
  FunctionTable functions_;
  LinkedCode linked_;
  uint32_t routine_ = 0; // the function whose instructions are being decoded
  const Instruction *current_ = nullptr;
  Diagnostics failure_;
  bool failed_ = false;

  struct Placed {
    const Variable *variable;
    uint64_t address;
    Space space;
  };
  uint32_t reserved_ = 0; // offset of the system's shared memory, if the entry uses that memory
  std::unordered_map<ScopedName, uint32_t, ScopedHash> labels_;
  std::unordered_map<ScopedName, Placed, ScopedHash> variables_;
  RegisterFile file_;
  RegisterNames names_{file_};
  uint32_t carry_ = kNone;
  std::vector<ClockUse::Read> clockReads_;          // the clocks that the current instruction reads
  std::unordered_set<std::string_view> knownForms_; // opcodes that decode/Forms has seen
  static constexpr uint32_t kModuleScope = UINT32_MAX;
  DecodedCode code_;
};

/// Sets the reconvergence points of the branches in `code` to their immediate post-dominators.
void linkReconvergence(Program &program);

} // namespace lanescope::core::emulator
