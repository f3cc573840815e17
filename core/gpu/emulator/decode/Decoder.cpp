#include "core/gpu/emulator/decode/Decoder.h"

#include "core/gpu/emulator/decode/Forms.h"
#include "core/gpu/emulator/machine/Addresses.h"
#include "core/gpu/emulator/machine/ClockNames.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/sync/Divergence.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

namespace lanescope::core::emulator {

bool Decoder::fail(Message message, DiagnosticKind kind) {
  if (failed_)
    return false;
  failed_ = true;
  Span span{program_.module->source, 0, 1};
  if (current_)
    span = {program_.module->source, current_->begin, std::max(current_->end, current_->begin + 1)};
  failure_.push_back(diagnosed(Severity::Error, kind, span, std::move(message)));
  return false;
}

bool Decoder::unknown() {
  struct Absent {
    std::string_view begin, why;
  };
  constexpr Absent kAbsent[] = {{"tex", "textures of this form"},  {"tld4", "textures of this form"},
                                {"txq", "queries of this form"},   {"suld", "surfaces of this form"},
                                {"sust", "surfaces of this form"}, {"sured", "reductions of this form"},
                                {"suq", "queries of this form"},   {"multimem", "memory of several GPUs"}};
  for (const Absent &absent : kAbsent)
    if (current_->opcode.starts_with(absent.begin))
      return fail(Message("`{instruction}`: the emulator has no {}", current_->opcode, absent.why),
                  "unknown-instruction");
  return fail(Message("unknown instruction `{instruction}`: the emulator does not run it", current_->opcode),
              "unknown-instruction");
}

bool Decoder::requireTarget(unsigned sm, std::string_view what) {
  unsigned have = 0;
  if (std::string_view target = program_.module->target; target.starts_with("sm_"))
    std::from_chars(target.data() + 3, target.data() + target.size(), have);
  if (have >= sm)
    return true;
  return fail(Message("{} needs `.target sm_{}` or a newer one, and this is `{}`", what, sm, program_.module->target));
}

bool Decoder::finish(const Modifiers &mods, size_t least, size_t most) {
  if (failed_)
    return false;
  if (!mods.leftOver().empty())
    return fail(Message("unknown instruction `{instruction}`: the emulator does not know `.{}` here", current_->opcode,
                        mods.leftOver()),
                "unknown-instruction");
  if (operandCount() < least || operandCount() > most)
    return fail(Message("`{instruction}` has {} operands; expected {}{}", current_->opcode, operandCount(), least,
                        most == least ? text() : text(" to ", most)));
  return true;
}

uint32_t Decoder::checked(uint32_t slot) {
  if (file_.full())
    fail("the kernel uses too many registers");
  return slot;
}

uint32_t Decoder::allocate(uint32_t bits) { return checked(file_.allocate(bits)); }

uint32_t Decoder::scratch(uint32_t bits) { return allocate(bits); }

std::vector<Decoder::NamedRegister> Decoder::registers() const {
  std::vector<NamedRegister> out;
  for (const auto &[key, ref] : names_.named())
    if (ref.slot != kNone)
      out.push_back({key.name, key.scope, ref.slot, ref.bits});
  return out;
}

uint32_t Decoder::constant(uint64_t bits, uint32_t width) { return checked(file_.constant(bits, width)); }

uint32_t Decoder::sharedAddress(uint64_t address, uint32_t width) {
  auto [slot, added] = file_.sharedAddress(address, width);
  if (added)
    program_.sharedAddresses.push_back({checked(slot), width / 8});
  return slot;
}

const RegisterRef *Decoder::findRegister(std::string_view name) {
  const RegisterRef *found = names_.find(name, *current_);
  checked(0);
  return found;
}

uint32_t Decoder::widthOf(const Operand &operand) {
  if (operand.kind != Operand::Kind::Name)
    return 0;
  if (const RegisterRef *found = findRegister(operand.name))
    return found->bits;
  return 0;
}

bool Decoder::isByteRegister(const Operand &operand) {
  const RegisterRef *found = operand.kind == Operand::Kind::Name ? findRegister(operand.name) : nullptr;
  return found && found->byte;
}

uint32_t Decoder::dest(const Operand &operand, uint32_t bits) {
  if (operand.kind == Operand::Kind::Sink)
    return scratch(bits);
  if (operand.kind != Operand::Kind::Name) {
    fail(Message("`{instruction}` writes something that is not a register", current_->opcode));
    return 0;
  }
  const RegisterRef *found = findRegister(operand.name);
  if (!found) {
    fail(Message("unknown register `{register}`", operand.name));
    return 0;
  }
  if (found->bits != std::max<uint32_t>(bits, bits == 1 ? 1 : 16)) {
    fail(Message("register `{register}` has {bits} bits; `{instruction}` writes {other_bits}", operand.name,
                 found->bits, current_->opcode, bits));
    return 0;
  }
  noteUse(found->slot, true, operand.name);
  return found->slot;
}

bool Decoder::fits(const RegisterRef &found, Type type, std::string_view name) {
  bool number = type.kind == TypeKind::Float,
       integer = type.kind == TypeKind::Unsigned || type.kind == TypeKind::Signed;
  bool fine = true;
  switch (found.kind) {
  case RegisterKind::Bits: break;
  case RegisterKind::Integer: fine = !number || type.packed || type.bits == 16; break;
  case RegisterKind::Float: fine = !integer && !(number && type.packed) && type.kind != TypeKind::BFloat; break;
  case RegisterKind::Halves: fine = !integer && !(number && !type.packed); break;
  }
  return fine || fail(Message("register `{register}` is declared {}, and `{instruction}{}; one that is declared "
                              "`.b{bits}` goes with both",
                              name, found.kind == RegisterKind::Integer ? "an integer" : "a number with a fraction",
                              current_->opcode, integer ? "` takes integers here" : "` takes others here", found.bits));
}

uint32_t Decoder::dest(const Operand &operand, Type type) {
  if (operand.kind == Operand::Kind::Name)
    if (const RegisterRef *found = findRegister(operand.name); found && !fits(*found, type, operand.name))
      return 0;
  return dest(operand, static_cast<uint32_t>(type.bits));
}

uint32_t Decoder::source(const Operand &operand, uint32_t bits) {
  return source(operand, Type{TypeKind::Bits, static_cast<uint8_t>(bits), false, "b"});
}

uint32_t Decoder::specialSource(std::string_view name, Type type) {
  uint32_t bits = std::max<uint32_t>(type.bits, 16);
  const ClockName *clock = clockNamed(name);
  bool wide = name.ends_with("64") || name == "%current_graph_exec" || name == "%gridid";
  bool narrow = name.starts_with("%tid") || name.starts_with("%ntid") || name.starts_with("%ctaid") ||
                name.starts_with("%nctaid");
  uint32_t has = wide ? 64 : 32;
  if (!clock && (type.kind == TypeKind::Float || type.packed ||
                 !(bits == has || (bits == 16 && narrow) || (bits == 32 && name == "%gridid")))) {
    fail(Message("`{name}` is an integer of {bits} bits; `{instruction}` reads another type", name, has,
                 current_->opcode));
    return 0;
  }
  if (!clock)
    return specialSlot(name, bits);
  if (clock->bits == bits)
    return clockSlot(*clock);
  fail(Message("`{name}` has {bits} bits; `{instruction}` reads {other_bits}", name, clock->bits, current_->opcode,
               bits));
  return 0;
}

uint32_t Decoder::floatConstant(const Operand &operand, Type type) {
  uint32_t bits = std::max<uint32_t>(type.bits, 16);
  if (operand.kind == Operand::Kind::Float32) {
    auto value = std::bit_cast<float>(static_cast<uint32_t>(operand.bits));
    return type.isF64() ? constant(std::bit_cast<uint64_t>(static_cast<double>(value)), 64)
                        : constant(operand.bits, bits);
  }
  auto value = std::bit_cast<double>(operand.bits);
  return bits == 32 ? constant(std::bit_cast<uint32_t>(static_cast<float>(value)), 32) : constant(operand.bits, bits);
}

uint32_t Decoder::source(const Operand &operand, Type type) {
  uint32_t bits = std::max<uint32_t>(type.bits, 16);
  if (operand.negated) {
    fail(Message("`{instruction}` cannot negate this operand", current_->opcode));
    return 0;
  }
  bool integer = type.kind == TypeKind::Unsigned || type.kind == TypeKind::Signed;
  switch (operand.kind) {
  case Operand::Kind::Integer:
    if (type.isF32() || type.isF64()) {
      fail(Message("`{instruction}` reads a number with a fraction here, such as `0f00000000` or `0.0`",
                   current_->opcode));
      return 0;
    }
    return constant(operand.bits, bits);
  case Operand::Kind::Float32:
  case Operand::Kind::Float64:
    if (integer || (type.kind == TypeKind::Bits && bits != (operand.kind == Operand::Kind::Float32 ? 32 : 64))) {
      fail(Message("`{instruction}` reads an integer here", current_->opcode));
      return 0;
    }
    return floatConstant(operand, type);
  case Operand::Kind::Name: break;
  default: fail(Message("`{instruction}` cannot read this operand", current_->opcode)); return 0;
  }
  if (const RegisterRef *found = findRegister(operand.name)) {
    if (found->bits != bits || bits > 64) {
      fail(Message("register `{register}` has {bits} bits; `{instruction}` reads {other_bits}", operand.name,
                   found->bits, current_->opcode, bits));
      return 0;
    }
    if (!fits(*found, type, operand.name))
      return 0;
    noteUse(found->slot, false, operand.name);
    return found->slot;
  }
  if (operand.name == "WARP_SZ")
    return constant(32, bits);
  std::string_view root = current_->opcode.substr(0, current_->opcode.find('.'));
  if (operand.name.starts_with('%') && operand.name != "%is_explicit_cluster") { // %is_explicit_cluster is a predicate
    uint32_t slot = specialSource(operand.name, type);
    if (!failed_ && root != "mov" && root != "cvt")
      fail(Message("`{instruction}` cannot read `{name}`; `mov` copies it to a register", current_->opcode,
                   operand.name));
    return slot;
  }
  uint64_t address = 0;
  Space space;
  if (variableAddress(operand.name, address, space)) {
    if ((root != "mov" && root != "mapa" && root != "cvta") || current_->opcode.starts_with("cvta.to")) {
      fail(Message("`{instruction}` cannot read the address of `{name}`; `mov` copies it to a register",
                   current_->opcode, operand.name));
      return 0;
    }
    address += static_cast<uint64_t>(operand.offset);
    if (space == Space::Local && routine_ != 0 && bits == 64)
      return frameAddress(address);
    return space == Space::Shared && bits >= 32 ? sharedAddress(address, bits) : constant(address, bits);
  }
  if (uint32_t routine = routineNamed(operand.name); routine != kNone && bits == 64)
    return constant(kFunctionWindow + routine, 64);
  // Kernels launch kernels by their address (CUDA Programming Guide, "CUDA Dynamic Parallelism").
  bool isKernel = std::ranges::any_of(program_.module->functions, [&](const Function &function) {
    return function.entry && function.name == operand.name;
  });
  if (isKernel)
    fail(Message("`{name}` is a kernel: the emulator has no launches of kernels by kernels", operand.name));
  else
    fail(Message("unknown name `{name}`", operand.name));
  return 0;
}

uint32_t Decoder::predicateDest(const Operand &operand) { return dest(operand, 1); }

uint32_t Decoder::predicate(const Operand &operand, bool &negated) {
  negated = operand.negated;
  if (operand.kind == Operand::Kind::Integer)
    return constant(operand.bits != 0 ? kAllLanes : 0, 32);
  if (operand.kind == Operand::Kind::Name) {
    if (const RegisterRef *found = findRegister(operand.name); found && found->bits == 1) {
      noteUse(found->slot, false, operand.name);
      return found->slot;
    }
    if (operand.name == "%is_explicit_cluster")
      return specialSlot(operand.name, 32);
  }
  fail(Message("`{instruction}` needs a predicate here", current_->opcode));
  return 0;
}

bool Decoder::immediate(const Operand &operand, uint64_t &value) {
  if (operand.kind != Operand::Kind::Integer)
    return fail(Message("`{instruction}` needs a constant here", current_->opcode));
  value = operand.bits;
  return true;
}

bool Decoder::variableAddress(std::string_view name, uint64_t &value, Space &space) const {
  for (uint32_t scope = current_->scope;; scope = function_->scopeParents[scope]) {
    auto it = variables_.find({scope, name});
    bool last = function_->scopeParents[scope] == scope;
    if (it == variables_.end() && last)
      it = variables_.find({kModuleScope, name});
    if (it != variables_.end() && it->second.variable->begin <= current_->begin) {
      value = it->second.address;
      space = it->second.space;
      return true;
    }
    if (last)
      return false;
  }
}

bool Decoder::address(const Operand &operand, Instr &instr, Space space) {
  instr.space = space;
  if (operand.kind != Operand::Kind::Address)
    return fail(Message("`{instruction}` needs an address in `[ ]`", current_->opcode));
  const Operand &base = operand.parts[0];
  auto offset = static_cast<uint64_t>(operand.offset) + static_cast<uint64_t>(base.offset);
  if (base.kind == Operand::Kind::Integer) {
    instr.imm = base.bits + offset;
    return space == Space::Local ||
           fail("an address that is a number is for local memory alone; `mov` puts it in a register");
  }
  if (base.kind != Operand::Kind::Name)
    return fail("an address starts with a register, a variable or a number");
  if (const RegisterRef *found = findRegister(base.name)) {
    if ((found->bits != 32 && found->bits != 64) || found->kind == RegisterKind::Float ||
        found->kind == RegisterKind::Halves)
      return fail(Message("register `{register}` cannot hold an address", base.name));
    bool wide = space == Space::Global || space == Space::Generic;
    std::string_view root = current_->opcode.substr(0, current_->opcode.find('.'));
    bool plain = root == "ld" || (root == "st" && !current_->opcode.starts_with("st.async")) || root == "atom" ||
                 root == "red" || root == "multimem";
    // ptxas accepts this for other instructions. They extend the address with zeros (PTX ISA, "Addresses as Operands").
    if (found->bits == 32 && wide && plain)
      return fail(Message("register `{register}` has 32 bits; an address of `{instruction}` has 64", base.name,
                          current_->opcode));
    noteUse(found->slot, false, base.name);
    instr.a = found->slot;
    instr.wideAddress = found->bits == 64;
    instr.imm = offset;
    return true;
  }
  uint64_t place = 0;
  Space found = space;
  if (!variableAddress(base.name, place, found))
    return fail(Message("unknown name `{name}`", base.name));
  bool own = found == Space::Param, given = space == Space::Param;
  if (own && current_->opcode.starts_with("st"))
    return fail(Message("`{name}` is a parameter of the entry, which is not written", base.name));
  if (own && !given && space != Space::Generic)
    return fail(Message("`{name}` is a parameter; `ld.param` reads it", base.name));
  // The arguments of calls are in the lane's local memory, where `ld.param` and `st.param` access them.
  if (space == Space::Param || space == Space::Generic)
    instr.space = found;
  instr.imm = place + offset;
  if (found == Space::Local && routine_ != 0)
    instr.a = frameSlot();
  return true;
}

bool Decoder::addAddress(const Operand &operand, Space space) {
  Instr one;
  if (!address(operand, one, space))
    return false;
  program_.addresses.push_back({one.a, one.wideAddress, one.space, one.imm});
  return true;
}

bool Decoder::destList(const Operand &operand, uint32_t bits, Instr &instr, bool exactWidth) {
  return destList(operand, Type{TypeKind::Bits, static_cast<uint8_t>(bits), false, "b"}, instr, exactWidth);
}

bool Decoder::destList(const Operand &operand, Type type, Instr &instr, bool exactWidth) {
  instr.list = static_cast<uint32_t>(program_.lists.size());
  auto add = [&](const Operand &part) {
    Type wanted = type;
    if (!exactWidth && part.kind != Operand::Kind::Sink)
      wanted.bits = static_cast<uint8_t>(widthOf(part));
    uint32_t slot = dest(part, wanted);
    program_.lists.push_back(slot);
  };
  if (operand.kind == Operand::Kind::Vector)
    for (const Operand &part : operand.parts)
      add(part);
  else
    add(operand);
  instr.listSize = static_cast<uint32_t>(program_.lists.size()) - instr.list;
  return !failed_;
}

uint32_t Decoder::element(const Operand &operand, Type type) {
  bool special = operand.kind == Operand::Kind::Name && !operand.negated && operand.name.starts_with('%') &&
                 operand.name != "%is_explicit_cluster" && !findRegister(operand.name);
  return special ? specialSource(operand.name, type) : source(operand, type);
}

bool Decoder::sourceList(const Operand &operand, Type type, Instr &instr, bool exactWidth) {
  instr.list = static_cast<uint32_t>(program_.lists.size());
  auto add = [&](const Operand &part, bool inVector) {
    Type wanted = type;
    if (!exactWidth && widthOf(part) != 0)
      wanted.bits = static_cast<uint8_t>(widthOf(part));
    uint32_t slot = inVector ? element(part, wanted) : source(part, wanted);
    program_.lists.push_back(slot);
  };
  if (operand.kind == Operand::Kind::Vector)
    for (const Operand &part : operand.parts)
      add(part, true);
  else
    add(operand, false);
  instr.listSize = static_cast<uint32_t>(program_.lists.size()) - instr.list;
  return !failed_;
}

bool Decoder::addWide(const Operand &operand, bool write, Instr &instr) {
  if (instr.listSize == 0)
    instr.list = static_cast<uint32_t>(program_.lists.size());
  if (operand.kind == Operand::Kind::Vector && operand.parts.size() == 2) {
    for (const Operand &part : operand.parts)
      program_.lists.push_back(write ? dest(part, 64) : element(part, Type{TypeKind::Bits, 64, false, "b64"}));
  } else {
    const RegisterRef *found = operand.kind == Operand::Kind::Name ? findRegister(operand.name) : nullptr;
    if (!found || found->bits != 128)
      return fail(
          Message("`{instruction}` needs a register of 128 bits here, or `{{lower, upper}}` of 64", current_->opcode));
    noteUse(found->slot, write, operand.name);
    program_.lists.push_back(found->slot);
    program_.lists.push_back(found->slot + RegisterFile::slotBytes(64));
  }
  instr.listSize = static_cast<uint32_t>(program_.lists.size()) - instr.list;
  return !failed_;
}

uint32_t Decoder::labelTarget(std::string_view name) {
  for (uint32_t scope = current_->scope;; scope = function_->scopeParents[scope]) {
    if (auto it = labels_.find({scope, name}); it != labels_.end())
      return it->second;
    if (function_->scopeParents[scope] == scope)
      break;
  }
  fail(Message("unknown label `{label}`", name));
  return 0;
}

const BranchTargets *Decoder::branchTargets(std::string_view name) const {
  for (const BranchTargets &targets : function_->branchTargets)
    if (targets.name == name)
      return &targets;
  return nullptr;
}

void Decoder::approximate() {
  std::string name(current_->opcode);
  if (std::ranges::find(program_.approximate, name) == program_.approximate.end())
    program_.approximate.push_back(std::move(name));
}

void Decoder::ignored() {
  std::string name(current_->opcode);
  if (std::ranges::find(program_.ignored, name) == program_.ignored.end())
    program_.ignored.push_back(std::move(name));
}

bool Decoder::decodeInstruction(const Instruction &instruction, Instr &instr) {
  current_ = &instruction;
  instr.cost = cost::kArithmetic;
  if (!instruction.guard.empty()) {
    const RegisterRef *found = findRegister(instruction.guard);
    if (!found || found->bits != 1)
      return fail(Message("`@{}` is not a predicate register", instruction.guard));
    noteUse(found->slot, false, instruction.guard);
    instr.guard = found->slot;
    instr.guardNegated = instruction.guardNegated;
  }
  std::string_view root = instruction.opcode.substr(0, instruction.opcode.find('.'));
  if (knownForms_.insert(instruction.opcode).second)
    if (auto problem = formProblem(instruction.opcode, program_.module->target))
      return fail(std::move(*problem), "unknown-instruction");
  auto found = table_.find(root);
  if (found == table_.end())
    return unknown();
  for (DecodeFn decode : found->second) {
    if (failed_)
      return false;
    Modifiers mods(instruction.opcode);
    Instr attempt = instr;
    if (decode(*this, mods, instruction, attempt)) {
      instr = attempt;
      if (!clockReads_.empty()) {
        program_.clockUses.push_back({static_cast<uint32_t>(program_.code.size()), instr.run, std::move(clockReads_)});
        clockReads_ = {};
        instr.run = clockRunner();
      }
      return !failed_;
    }
  }
  return failed_ ? false : unknown();
}

Result<void> Decoder::run(std::string_view name, uint32_t dynamicSmem) {
  for (const Function &function : program_.module->functions)
    if (function.entry && function.defined && (function.name == name || name.empty()) && !function_)
      function_ = &function;
  if (!function_) {
    std::vector<std::string> entries;
    for (const Function &function : program_.module->functions)
      if (function.entry)
        entries.push_back(text("`", function.name, "`"));
    return error(
        "launch", Span{program_.module->source, 0, 1},
        Message("the PTX has no entry `{name}`; it has {}", name, entries.empty() ? "none" : joined(entries, ", ")));
  }
  linked_ = linkFunctions(*program_.module, *function_);
  if (linked_.parts.size() > 1) {
    const std::vector<Function> &functions = program_.module->functions; // the functions may still move in memory
    std::vector<size_t> places;
    for (const LinkedPart &part : linked_.parts)
      places.push_back(static_cast<size_t>(part.function - functions.data()));
    program_.module->functions.push_back(std::move(linked_.function));
    linked_.numbers.clear();
    for (size_t n = 0; n < places.size(); ++n) {
      linked_.parts[n].function = &functions[places[n]];
      linked_.numbers[linked_.parts[n].function] = static_cast<uint32_t>(n);
    }
    function_ = &functions.back();
  }
  functions_ = FunctionTable(*program_.module); // from here on, the functions do not move any more
  program_.function = function_;
  code_.function = function_;
  program_.machine = &machineFor(program_.module->target);
  indexDeclarations();
  layoutParams();
  layoutFrames();
  layoutVariables(dynamicSmem);
  resolveInitialisers();
  bool multiplies = std::ranges::any_of(function_->instructions,
                                        [](const Instruction &i) { return i.opcode.starts_with("wgmma.mma_async"); });
  program_.code.reserve(function_->instructions.size() + 1);
  for (size_t n = 0; n < function_->instructions.size() && !failed_; ++n) {
    while (routine_ + 1 < linked_.parts.size() && linked_.parts[routine_ + 1].firstInstruction <= n)
      ++routine_;
    Instr instr;
    instr.source = static_cast<uint32_t>(n);
    if (!decodeInstruction(function_->instructions[n], instr))
      break;
    program_.code.push_back(instr);
  }
  if (!failed_) {
    // Control that reaches the end of the code returns.
    static const Instruction kEnd{"ret", {}, false, {}, 0, 0, 0, 0};
    current_ = function_->instructions.empty() ? &kEnd : &function_->instructions.back();
    Instr end;
    end.source = function_->instructions.empty() ? 0 : static_cast<uint32_t>(function_->instructions.size() - 1);
    end.run = [](Warp &warp, const Instr &, uint32_t mask) { return exitLanes(warp, mask); };
    program_.code.push_back(end);
  }
  if (failed_)
    return std::unexpected(std::move(failure_));
  if (function_->instructions.empty())
    return error("ptx-operand", Span{program_.module->source, function_->begin, function_->begin + 1},
                 "the entry has no instructions");
  branchesToEnds(code_);
  markLoadWaits(code_);
  numberPlaces(code_);
  markKnownRows(code_);
  foldConstants(code_);
  contract(code_, file_);
  if (multiplies)
    trackWgmmaRegisters(code_);
  linkReconvergence(program_);
  keepRegistersOfCallers();
  program_.registerImage = file_.image();
  for (size_t lane = 0; program_.stackTop != kNone && lane < 32; ++lane) {
    uint64_t top = program_.localBytes;
    std::memcpy(program_.registerImage.data() + program_.stackTop + lane * sizeof top, &top, sizeof top);
  }
  findFreshRegisters(code_, file_);
  return {};
}

} // namespace lanescope::core::emulator
