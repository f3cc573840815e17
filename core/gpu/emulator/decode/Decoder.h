// Turns a parsed entry into a Program: resolves registers, variables and labels, picks a handler per instruction, and
// refuses what the emulator does not know, naming the instruction and its place, before anything runs.
//
// What instructions there are is said by the table that it is given (instructions/Families.h): for each root of an
// opcode the functions that decode it, asked in turn.
#pragma once

#include "core/gpu/emulator/decode/LinkFunctions.h"
#include "core/gpu/emulator/decode/Modifiers.h"
#include "core/gpu/emulator/machine/Program.h"
#include "core/gpu/emulator/machine/StandingMemory.h"
#include "layouts/support/Diagnostic.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace lanescope::core::emulator {

class Decoder;
struct ClockName;
using DecodeFn = bool (*)(Decoder &, Modifiers &, const Instruction &, Instr &);
// Shared memory that the system keeps; software such as cooperative groups asks for its address.
inline constexpr std::string_view kReservedPrefix = "%reserved_smem_offset_";
inline constexpr uint32_t kReservedShared = 1024; // bytes
using InstructionTable = std::unordered_multimap<std::string_view, DecodeFn>;

/// A product or a sum without a rounding modifier, or an approximate quotient, which ends in a product and is nothing
/// else where its divisor is a constant. A sum's handler, as one operation with a product, takes the factors as `a` and
/// `b`, and `c`; with a quotient it is the quotient's.
struct FusiblePart {
  uint32_t format = 0;     // of the values: those of both are the same
  Handler fused = nullptr; // of a sum
  bool difference = false;
  bool saturates = false;
  Handler product = nullptr, quotientPlus = nullptr; // of a quotient: by a constant, with a sum
};
inline uint32_t fusedFormatOf(uint32_t bits, bool ftz) { return bits * 2 + ftz; } // of f32 and f64
enum FusedSub : uint8_t { kNegatesProduct = 1, kNegatesAddend = 2 };              // Instr::sub of such handlers

class Decoder {
public:
  /// `placed`: the regions of the module's variables; null: the first ones, in their order.
  Decoder(Program &program, const InstructionTable &table, const PlacedVariables *placed = nullptr)
      : program_(program), table_(table), placed_(placed) {}
  /// Decodes entry `name` of program.module.
  Result<void> run(std::string_view name, uint32_t dynamicSmem);

  /// A register that some instruction names; a `.b128` one has two slots in a row.
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
  /// False, after noting the error; the first one wins.
  bool fail(std::string message, std::string kind = "ptx-operand");
  bool unknown();
  /// Notes an error where the module's `.target` is older than `sm`, 100 for sm_100; `what` needs that.
  bool requireTarget(unsigned sm, std::string_view what);
  /// Checks the number of operands and that every part of the opcode was understood.
  bool finish(const Modifiers &mods, size_t least, size_t most);
  bool finish(const Modifiers &mods, size_t count) { return finish(mods, count, count); }

  uint32_t dest(const Operand &operand, Type type);
  uint32_t dest(const Operand &operand, uint32_t bits);
  uint32_t source(const Operand &operand, Type type);
  uint32_t source(const Operand &operand, uint32_t bits);
  /// A source in a vector, which may be a special register in every instruction: `st.v2.u32 [a], {%r1, %clock}`.
  /// Outside of vectors only `mov` and `cvt` read those.
  uint32_t element(const Operand &operand, Type type);
  uint32_t predicateDest(const Operand &operand);
  /// A predicate source; a negated one goes through `negated` when given, else through a constant or is refused.
  uint32_t predicate(const Operand &operand, bool &negated);
  /// Bits of the register that an operand names; 0 for anything else.
  uint32_t widthOf(const Operand &operand);
  /// Whether an operand names a register that is declared `.b8`.
  bool isByteRegister(const Operand &operand);
  /// The base register (or none) and offset of an address in `space` into `instr`; variables give their address.
  bool address(const Operand &operand, Instr &instr, Space space);
  /// Appends an address operand to Program::addresses; instructions with several keep the first's index.
  bool addAddress(const Operand &operand, Space space);
  bool immediate(const Operand &operand, uint64_t &value);
  /// The slot list of a vector operand, or of a single register, appended to Program::lists.
  bool destList(const Operand &operand, Type type, Instr &instr, bool exactWidth = true);
  bool destList(const Operand &operand, uint32_t bits, Instr &instr, bool exactWidth = true);
  bool sourceList(const Operand &operand, Type type, Instr &instr, bool exactWidth = true);
  /// Appends the slots of 128 bits to Program::lists, the lower 64 first: of a `.b128` register, or of `{lower,
  /// upper}`.
  bool addWide(const Operand &operand, bool write, Instr &instr);
  uint32_t constant(uint64_t bits, uint32_t width);
  uint32_t specialSlot(std::string_view name, uint32_t bits);
  /// A special register or a clock.
  uint32_t specialSource(std::string_view name, Type type);
  uint32_t floatConstant(const Operand &operand, Type type);
  /// A register that has the clock's value when the current instruction runs.
  uint32_t clockSlot(const ClockName &clock);
  uint32_t reservedSlot(std::string_view part, uint32_t bits);
  /// The handler of instructions with such registers (Program::clockUses).
  static Handler clockRunner();
  uint32_t scratch(uint32_t bits);
  /// The lane mask that add.cc and its kind leave for addc.
  uint32_t carrySlot() { return carry_ == kNone ? carry_ = allocate(1) : carry_; }
  uint32_t labelTarget(std::string_view name);
  const BranchTargets *branchTargets(std::string_view name) const;
  /// A variable's address, in a frame its offset there; sets the space it is in.
  bool variableAddress(std::string_view name, uint64_t &value, Space &space) const;
  /// The variable of that name that the current instruction sees; null: there is none.
  const Variable *variableNamed(std::string_view name) const;
  /// Bytes of a variable; 0 for another name.
  uint32_t variableBytes(std::string_view name) const;
  /// Of Program::routines; kNone: there is no such function.
  uint32_t routineNamed(std::string_view name) const;
  uint32_t currentRoutine() const { return routine_; }
  /// The register that holds the address of the current function's frame; kNone in the entry, whose is 0.
  uint32_t frameSlot() const;
  /// Whether an argument or a result of a call may stand for that parameter: their sizes, kinds of numbers and, of
  /// arrays, alignments agree.
  bool passesAs(const Operand &operand, const Variable &formal);
  /// An argument or a result of a call, of `bytes` if it is a number.
  bool callValue(const Operand &operand, uint32_t bytes, CallValue &out);
  const Prototype *prototype(std::string_view name) const;
  /// The register of 64 bits in which the top of the stack is.
  uint32_t stackTop();
  void approximate();
  void ignored();
  /// The current instruction may be part of a fused multiply-add.
  void mayFuse(const FusiblePart &part) { fusible_.emplace(static_cast<uint32_t>(program_.code.size()), part); }
  /// ptxas evaluates the current instruction itself where its argument is a constant: with what this handler gives.
  void foldsConstant(Handler handler) { foldable_.emplace(static_cast<uint32_t>(program_.code.size()), handler); }
  Program &program() { return program_; }

private:
  struct RegisterRef {
    uint32_t slot = kNone;
    uint32_t bits = 0;
    bool byte = false; // declared `.b8`: it has a slot of 16 bits
    RegisterKind kind = RegisterKind::Bits;
  };
  RegisterRef *findRegister(std::string_view name);
  /// Whether a register of that declaration may stand for an operand of a type.
  bool fits(const RegisterRef &found, Type type, std::string_view name);
  uint32_t allocate(uint32_t bits);
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
  void linkBranches();
  void markLoadWaits();
  void numberPlaces();
  void markKnownRows();
  void contract();
  void multiplyByConstants();
  void foldConstants();
  void noteUse(uint32_t slot, bool write, std::string_view name);
  std::vector<bool> constantMoves() const;
  void branchesToEnds();
  void trackWgmmaRegisters();
  void findFreshRegisters();
  /// 16, 32 and 64 bits, predicates.
  static int widthIndex(uint32_t bits) { return bits == 1 ? 3 : bits <= 16 ? 0 : bits == 32 ? 1 : 2; }

  Program &program_;
  const InstructionTable &table_;
  const PlacedVariables *placed_ = nullptr;
  const Function *function_ = nullptr;
  FunctionTable functions_;
  LinkedCode linked_;
  uint32_t routine_ = 0; // whose instructions are decoded
  const Instruction *current_ = nullptr;
  Diagnostics failure_;
  bool failed_ = false;

  struct ScopedName {
    uint32_t scope;
    std::string_view name;
    bool operator==(const ScopedName &) const = default;
  };
  struct ScopedHash {
    size_t operator()(const ScopedName &n) const {
      return std::hash<std::string_view>{}(n.name) * 31 + n.scope * 0x9E3779B97F4A7C15ull;
    }
  };
  struct Placed {
    const Variable *variable;
    uint64_t address;
    Space space;
  };
  uint32_t reserved_ = 0; // where they lie, if the entry names them
  std::unordered_map<ScopedName, RegisterDecl, ScopedHash> declared_, ranges_; // `a`; `a<2>`: a0, a1
  std::unordered_map<ScopedName, RegisterRef, ScopedHash> registers_;
  std::unordered_map<ScopedName, uint32_t, ScopedHash> labels_;
  std::unordered_map<ScopedName, Placed, ScopedHash> variables_;
  std::unordered_map<uint64_t, uint32_t> constants_[4];        // by widthIndex()
  std::unordered_map<uint64_t, uint32_t> sharedAddresses_;     // by address * 2 and whether it has 64 bits
  std::unordered_map<std::string_view, uint32_t> specials_[4]; // likewise
  struct Slot {
    uint32_t begin, bytes;
  };
  std::vector<Slot> slots_; // all there are, ascending
  uint32_t fileBytes_ = 0;
  uint32_t carry_ = kNone;
  std::vector<ClockUse::Read> clockReads_;          // the clocks that the current instruction reads
  std::unordered_set<std::string_view> knownForms_; // opcodes that decode/Forms has seen
  static constexpr uint32_t kModuleScope = UINT32_MAX;
  struct NamedUse {
    uint32_t instruction, slot;
    bool write;
    std::string_view name;
  };
  std::vector<NamedUse> uses_;                        // by instruction
  std::unordered_map<uint32_t, FusiblePart> fusible_; // by pc
  std::unordered_map<uint32_t, Handler> foldable_;    // likewise
};

/// Immediate post-dominators as reconvergence points of the branches in `code`.
void linkReconvergence(Program &program);

} // namespace lanescope::core::emulator
