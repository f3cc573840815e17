#include "core/gpu/emulator/ptx/PtxParser.h"

#include "core/data/FileLimits.h"
#include "core/gpu/emulator/ptx/PtxCursor.h"
#include "core/gpu/emulator/ptx/PtxOperands.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <tuple>
#include <utility>

namespace lanescope::core::emulator {

namespace {

constexpr char kKind[] = "ptx-syntax";
constexpr size_t kMaxBytes = limitOf(FileRole::Ptx).bytes();
constexpr size_t kMaxScopeDepth = 64;
constexpr uint64_t kMaxVariableBytes = 1u << 30;

struct TypeInfo {
  std::string_view name;
  uint8_t bits;
};
constexpr TypeInfo kTypes[] = {
    {".pred", 1}, {".b8", 8},    {".b16", 16}, {".b32", 32}, {".b64", 64},   {".b128", 128},  {".u8", 8},
    {".u16", 16}, {".u32", 32},  {".u64", 64}, {".s8", 8},   {".s16", 16},   {".s32", 32},    {".s64", 64},
    {".f16", 16}, {".bf16", 16}, {".f32", 32}, {".f64", 64}, {".f16x2", 32}, {".bf16x2", 32},
};

uint8_t typeBits(std::string_view directive) {
  for (const TypeInfo &type : kTypes)
    if (type.name == directive)
      return type.bits;
  return 0;
}

class Parser {
public:
  explicit Parser(SourceRef source) : source_(source), cursor_(withoutEnd(source->text())) {
    module_.source = std::move(source);
  }

  Result<Module> run() {
    if (size_t nul = withoutEnd(source_->text()).find('\0'); nul != std::string_view::npos)
      fail("PTX is text, and here is a NUL byte", static_cast<uint32_t>(nul), static_cast<uint32_t>(nul) + 1);
    while (!cursor_.atEnd() && !failed_)
      topLevel();
    if (failed_)
      return std::unexpected(std::move(failure_));
    return std::move(module_);
  }

private:
  /// The buffers of NVRTC and nvJitLink end in NUL bytes, as strings of C do.
  static std::string_view withoutEnd(std::string_view text) {
    size_t last = text.find_last_not_of('\0');
    return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
  }

  bool fail(std::string message, uint32_t begin, uint32_t end) {
    if (!failed_)
      failure_.push_back(
          {Severity::Error, kKind, Span{source_, begin, std::max(end, begin + 1)}, std::move(message), {}});
    failed_ = true;
    return false;
  }
  bool fail(std::string message) { return fail(std::move(message), cursor_.position(), cursor_.position() + 1); }
  bool expect(char c) { return cursor_.take(c) || fail(text("expected `", c, "`")); }

  bool integer(uint64_t &value) {
    auto number = cursor_.number();
    if (!number || number->kind != Operand::Kind::Integer)
      return fail("expected an integer");
    value = number->bits;
    return true;
  }

  void topLevel() {
    uint32_t begin = cursor_.position();
    std::string_view word = cursor_.directive();
    if (word.empty()) {
      if (cursor_.take(';'))
        return;
      fail("expected a directive such as `.version` or `.visible .entry`");
      return;
    }
    if (word == ".version") {
      if (!cursor_.number())
        fail("expected a version number");
    } else if (word == ".target") {
      module_.target = cursor_.identifier();
      while (cursor_.take(','))
        cursor_.identifier();
    } else if (word == ".address_size") {
      uint64_t size = 0;
      if (integer(size) && size != 64)
        fail("only `.address_size 64` can be run", begin, cursor_.lastEnd());
    } else if (word == ".file") {
      fileDirective();
    } else if (word == ".loc") {
      locDirective();
    } else if (word == ".section") {
      cursor_.directive();
      if (cursor_.peek() != '{' || !cursor_.skipBraces())
        fail("expected `{ … }` after `.section`");
    } else if (word == ".pragma") {
      cursor_.quoted();
      cursor_.take(';');
    } else if (word == ".visible" || word == ".weak" || word == ".common" || word == ".extern") {
      external_ = word == ".extern";
      linkage_ = true;
      return;
    } else if (word == ".alias") {
      std::string_view alias = cursor_.identifier();
      if (!expect(','))
        return;
      module_.aliases.push_back({alias, cursor_.identifier()});
      expect(';');
    } else if (word == ".entry" || word == ".func") {
      function(word == ".entry", begin);
    } else if (word == ".global" || word == ".const" || word == ".shared") {
      variable(word, begin, 0, module_.variables);
    } else {
      fail(text("unknown directive `", word, "`"), begin, cursor_.lastEnd());
    }
    external_ = false;
    linkage_ = false;
  }

  void fileDirective() {
    uint64_t number = 0;
    if (!integer(number))
      return;
    if (number > 65535) {
      fail("file number out of range");
      return;
    }
    if (module_.files.size() <= number)
      module_.files.resize(number + 1);
    module_.files[number] = cursor_.quoted();
    while (cursor_.take(','))
      cursor_.number();
  }

  /// .loc file line column [, function_name label, inlined_at file line column]
  ///
  /// Its number in the module. A statement that goes on behind code of no line (line 0) keeps its number.
  uint32_t locDirective() {
    uint64_t file = 0, line = 0, column = 0;
    if (!integer(file) || !integer(line) || !integer(column))
      return 0;
    uint32_t inlinedAt = 0, function = 0;
    while (cursor_.take(',')) {
      std::string_view key = cursor_.identifier();
      if (key == "function_name") {
        function = inlinedFunction(cursor_.identifier(), static_cast<uint32_t>(line));
        if (cursor_.take('+'))
          cursor_.number();
      } else if (key == "inlined_at") {
        uint64_t at[3] = {};
        if (!integer(at[0]) || !integer(at[1]) || !integer(at[2]))
          return 0;
        inlinedAt = locAt({static_cast<uint32_t>(at[0]), static_cast<uint32_t>(at[1]), static_cast<uint32_t>(at[2])});
      } else {
        fail("unknown `.loc` attribute");
        return 0;
      }
    }
    SourceLoc loc{static_cast<uint32_t>(file), static_cast<uint32_t>(line), static_cast<uint32_t>(column), inlinedAt,
                  function};
    lastLocs_[{loc.file, loc.line, loc.column}] = {inlinedAt, function};
    std::vector<SourceLoc> &locs = module_.locs;
    if (locs.back() == loc)
      return static_cast<uint32_t>(locs.size() - 1);
    if (locs.back().line == 0 && locs.size() > 2 && locs[locs.size() - 2] == loc)
      return static_cast<uint32_t>(locs.size() - 2);
    locs.push_back(loc);
    return static_cast<uint32_t>(locs.size() - 1);
  }

  /// The number of an inlined function, which has code at the line.
  uint32_t inlinedFunction(std::string_view label, uint32_t line) {
    auto [number, fresh] = inlinedFunctions_.try_emplace(label, static_cast<uint32_t>(module_.inlined.size()));
    if (fresh)
      module_.inlined.emplace_back();
    if (line > 0) { // line 0 is no line
      InlinedFunction &function = module_.inlined[number->second];
      function.firstLine = std::min(function.firstLine, line);
      function.lastLine = std::max(function.lastLine, line);
    }
    return number->second;
  }

  /// The frame of a place where a function is inlined, which may itself be inlined: as the last `.loc` of it says.
  uint32_t locAt(SourceLoc loc) {
    auto last = lastLocs_.find({loc.file, loc.line, loc.column});
    if (last != lastLocs_.end())
      std::tie(loc.inlinedAt, loc.function) = last->second;
    auto [number, fresh] = frames_.try_emplace({loc.file, loc.line, loc.column, loc.inlinedAt}, 0u);
    if (fresh) {
      number->second = static_cast<uint32_t>(module_.frames.size());
      module_.frames.push_back(loc);
    }
    return number->second;
  }

  static Space spaceOf(std::string_view word) {
    if (word == ".shared")
      return Space::Shared;
    if (word == ".const")
      return Space::Const;
    if (word == ".local")
      return Space::Local;
    if (word == ".param")
      return Space::Param;
    return Space::Global;
  }

  /// The part after the state space: `[.align n] .type name[dims] [= init]`; several names with commas.
  bool variableTail(Variable &variable) {
    uint8_t bits = 0;
    for (;;) {
      uint32_t at = cursor_.position();
      std::string_view word = cursor_.directive();
      if (word.empty())
        break;
      if (word == ".align") {
        uint64_t align = 0;
        if (!integer(align))
          return false;
        if (align == 0 || align > 4096 || !std::has_single_bit(align))
          return fail("alignment must be a power of two up to 4096", at, cursor_.lastEnd());
        variable.align = static_cast<uint32_t>(align);
      } else if (word == ".attribute") {
        if (!expect('('))
          return false;
        while (!cursor_.atEnd() && cursor_.peek() != ')')
          if (cursor_.directive().empty() && !cursor_.take(','))
            return fail("expected an attribute");
        if (!expect(')'))
          return false;
      } else if (uint8_t found = typeBits(word); found >= 8) {
        bits = found;
        variable.byteType = found == 8;
      } else if (word != ".ptr" && word != ".global" && word != ".shared" && word != ".const" && word != ".local" &&
                 word != ".v2" && word != ".v4" && word != ".space" && word != ".managed" && word != ".unified") {
        return fail(text("unknown attribute `", word, "` of a variable"), at, cursor_.lastEnd());
      } else if (word == ".v2" || word == ".v4") {
        vectorFactor_ = word == ".v2" ? 2 : 4;
      }
    }
    if (!bits)
      return fail("expected a type such as `.b32`");
    uint64_t factor = vectorFactor_;
    vectorFactor_ = 1;
    variable.name = cursor_.identifier();
    uint64_t count = 1;
    while (cursor_.take('[')) {
      variable.scalar = false;
      uint64_t size = 0;
      if (cursor_.peek() != ']' && !integer(size))
        return false;
      if (!expect(']'))
        return false;
      count = count > kMaxVariableBytes || size > kMaxVariableBytes ? kMaxVariableBytes + 1 : count * size;
    }
    if (count > kMaxVariableBytes)
      return fail("the variable is too large (over 1 GiB)", variable.begin, cursor_.lastEnd());
    variable.bytes = count * factor * (bits / 8);
    variable.align = std::max<uint32_t>(variable.align, bits / 8);
    if (cursor_.take('=') && !initializer(variable, bits / 8, 0))
      return false;
    if (variable.scalar == false && variable.bytes == 0 && !variable.initial.empty())
      variable.bytes = variable.initial.size();
    return true;
  }

  bool initializer(Variable &variable, int bytes, size_t depth) {
    if (depth > 8)
      return fail("initializers nest too deeply");
    if (cursor_.take('{')) {
      while (cursor_.peek() != '}') {
        if (!initializer(variable, bytes, depth + 1))
          return false;
        if (!cursor_.take(','))
          break;
      }
      return expect('}');
    }
    Operand value;
    OperandReader reader(cursor_);
    auto number = cursor_.number();
    if (number && number->kind == Operand::Kind::Integer && cursor_.peek() == '(')
      return initialByte(variable, number->bits);
    if (number && number->kind == Operand::Kind::Integer && !reader.goOn(*number))
      return fail(reader.problem());
    if (!number) {
      if (!reader.read(value))
        return fail(reader.problem());
      if (value.kind == Operand::Kind::Name)
        return initialAddress(variable, value, bytes);
      if (value.kind != Operand::Kind::Integer)
        return fail("a variable is initialised with numbers and addresses");
      number = value;
    }
    uint64_t bits = number->bits;
    if (number->kind == Operand::Kind::Float64 && bytes == 4)
      bits = std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
    for (int i = 0; i < bytes; ++i)
      variable.initial.push_back(i < 8 ? static_cast<uint8_t>(bits >> (8 * i)) : 0);
    return variable.initial.size() <= kMaxVariableBytes || fail("the initializer is too large");
  }

  /// `name`, `name + 4` or `generic(name) + 4`, whose value the decoder knows.
  bool initialAddress(Variable &variable, const Operand &named, int bytes) {
    InitialAddress address{variable.initial.size(), named.name, named.offset, static_cast<uint8_t>(bytes), false, 0};
    if (named.name == "generic" && cursor_.take('(')) {
      address.generic = true;
      address.name = cursor_.identifier();
      if (!expect(')'))
        return false;
      if (cursor_.take('+')) {
        uint64_t offset = 0;
        if (!integer(offset))
          return false;
        address.offset = static_cast<int64_t>(offset);
      }
    }
    variable.addresses.push_back(address);
    variable.initial.resize(variable.initial.size() + static_cast<size_t>(bytes));
    return variable.initial.size() <= kMaxVariableBytes || fail("the initializer is too large");
  }

  /// `0xFF00(name)`, behind the mask: one byte of an address.
  bool initialByte(Variable &variable, uint64_t mask) {
    int shift = mask ? std::countr_zero(mask) : 1;
    if (shift % 8 != 0 || mask >> shift != 0xFF)
      return fail("the mask of an address is that of one of its bytes");
    cursor_.take('(');
    Operand named;
    OperandReader reader(cursor_);
    if (!reader.read(named) || named.kind != Operand::Kind::Name)
      return fail("expected a variable or function");
    if (!initialAddress(variable, named, 1))
      return false;
    variable.addresses.back().shift = static_cast<uint8_t>(shift);
    return expect(')');
  }

  bool variable(std::string_view space, uint32_t begin, uint32_t scope, std::vector<Variable> &out) {
    Variable first;
    first.space = spaceOf(space);
    first.scope = scope;
    first.begin = begin;
    first.external = external_;
    if (!variableTail(first))
      return false;
    if (first.name.empty())
      return fail("expected the variable's name");
    out.push_back(std::move(first));
    return expect(';');
  }

  bool parameters(std::vector<Variable> &out) {
    if (!expect('('))
      return false;
    while (cursor_.peek() != ')') {
      uint32_t begin = cursor_.position();
      std::string_view word = cursor_.directive();
      if (word != ".param" && word != ".reg")
        return fail("expected `.param`", begin, cursor_.lastEnd());
      Variable param;
      param.space = Space::Param;
      param.isRegister = word == ".reg";
      param.begin = begin;
      if (!variableTail(param))
        return false;
      out.push_back(std::move(param));
      if (!cursor_.take(','))
        break;
    }
    return expect(')');
  }

  void function(bool entry, uint32_t begin) {
    Function function;
    function.entry = entry;
    function.begin = begin;
    if (cursor_.peek() == '(' && !parameters(function.results))
      return;
    function.name = cursor_.identifier();
    if (function.name.empty()) {
      fail("expected the function's name");
      return;
    }
    if (cursor_.peek() == '(' && !parameters(function.params))
      return;
    while (cursor_.peek() == '.') {
      uint32_t at = cursor_.position();
      std::string_view word = cursor_.directive();
      if (word == ".pragma") {
        cursor_.quoted();
        cursor_.take(';');
        continue;
      }
      static constexpr std::string_view kKnown[] = {".maxntid",           ".reqntid",         ".minnctapersm",
                                                    ".maxnctapersm",      ".maxnreg",         ".noreturn",
                                                    ".reqnctapercluster", ".explicitcluster", ".maxclusterrank",
                                                    ".blocksareclusters", ".abi_preserve",    ".abi_preserve_control"};
      if (std::ranges::find(kKnown, word) == std::end(kKnown)) {
        fail(text("unknown directive `", word, "`"), at, cursor_.lastEnd());
        return;
      }
      uint64_t product = 1;
      std::array<uint32_t, 3> numbers{1, 1, 1};
      for (size_t n = 0; n < 3; ++n) {
        auto number = cursor_.number();
        if (!number)
          break;
        product *= number->bits;
        numbers[n] = static_cast<uint32_t>(std::min<uint64_t>(number->bits, UINT32_MAX));
        if (!cursor_.take(','))
          break;
      }
      if (word == ".maxntid" || word == ".reqntid")
        function.maxThreads = static_cast<uint32_t>(product);
      else if (word == ".minnctapersm")
        function.minBlocks = numbers[0];
      else if (word == ".maxnreg")
        function.maxRegisters = numbers[0];
      else if (word == ".reqnctapercluster")
        function.cluster = numbers;
      else if (word == ".maxclusterrank")
        function.maxClusterRank = numbers[0];
      else if (word == ".explicitcluster")
        function.explicitCluster = true;
    }
    if (!cursor_.take(';')) {
      function.defined = true;
      body(function);
    }
    module_.functions.push_back(std::move(function));
  }

  void body(Function &function) {
    if (!expect('{'))
      return;
    function.scopeParents = {0};
    std::vector<uint32_t> scopes{0};
    uint32_t loc = 0;
    while (!failed_) {
      if (cursor_.atEnd()) {
        fail("the function's `{` is not closed", function.begin, function.begin + 1);
        return;
      }
      if (cursor_.take('}')) {
        scopes.pop_back();
        if (scopes.empty())
          return;
      } else if (cursor_.take('{')) {
        if (scopes.size() >= kMaxScopeDepth) {
          fail("blocks nest too deeply");
          return;
        }
        function.scopeParents.push_back(scopes.back());
        scopes.push_back(static_cast<uint32_t>(function.scopeParents.size() - 1));
      } else if (cursor_.take(';')) {
      } else if (cursor_.peek() == '.') {
        bodyDirective(function, scopes.back(), loc);
      } else {
        statement(function, scopes.back(), loc);
      }
    }
  }

  void bodyDirective(Function &function, uint32_t scope, uint32_t &loc) {
    uint32_t begin = cursor_.position();
    std::string_view word = cursor_.directive();
    if (word == ".loc") {
      loc = locDirective();
    } else if (word == ".reg") {
      registers(function, scope);
    } else if (word == ".shared" || word == ".local" || word == ".param" || word == ".const" || word == ".global") {
      variable(word, begin, scope, function.variables);
    } else if (word == ".pragma") {
      cursor_.quoted();
      cursor_.take(';');
    } else if (word == ".file") {
      fileDirective();
    } else {
      fail(text("unknown directive `", word, "`"), begin, cursor_.lastEnd());
    }
  }

  /// `[(results)] _ [(parameters)] [.noreturn …];`
  void callPrototype(Function &function, Prototype prototype) {
    std::vector<Variable> results, params;
    if (cursor_.peek() == '(' && !parameters(results))
      return;
    cursor_.identifier(); // `_`
    if (cursor_.peek() == '(' && !parameters(params))
      return;
    while (cursor_.peek() == '.') { // .noreturn, .abi_preserve 8, …
      cursor_.directive();
      cursor_.number();
    }
    prototype.results = results.size();
    prototype.params = params.size();
    function.prototypes.push_back(prototype);
    expect(';');
  }

  void registers(Function &function, uint32_t scope) {
    uint32_t at = cursor_.position();
    std::string_view type = cursor_.directive();
    std::string_view elements = type == ".v2" ? "xy" : type == ".v4" ? "xyzw" : "";
    if (!elements.empty()) {
      at = cursor_.position();
      type = cursor_.directive();
    }
    uint8_t bits = typeBits(type);
    if (!bits) {
      fail(text("unknown register type `", type, "`"), at, cursor_.lastEnd());
      return;
    }
    do {
      RegisterDecl decl;
      decl.name = cursor_.identifier();
      decl.bits = bits;
      decl.scope = scope;
      if (decl.name.empty()) {
        fail("expected a register's name");
        return;
      }
      if (cursor_.take('<')) {
        uint64_t count = 0;
        if (!integer(count) || !expect('>'))
          return;
        decl.count = static_cast<uint32_t>(std::min<uint64_t>(count, UINT32_MAX));
      }
      if (elements.empty())
        function.registers.push_back(decl);
      else if (decl.count) {
        fail("numbered registers that are vectors are not supported");
        return;
      }
      std::string_view vector = decl.name;
      for (char element : elements) {
        decl.name = make(text(vector, '.', std::string_view(&element, 1)));
        function.registers.push_back(decl);
      }
    } while (cursor_.take(','));
    expect(';');
  }

  std::string_view make(std::string name) {
    module_.made.push_back(std::make_shared<const std::string>(std::move(name)));
    return *module_.made.back();
  }

  void statement(Function &function, uint32_t scope, uint32_t loc) {
    Instruction instruction;
    instruction.begin = cursor_.position();
    instruction.scope = scope;
    instruction.loc = loc;
    if (cursor_.take('@')) {
      instruction.guardNegated = cursor_.take('!');
      instruction.guard = cursor_.identifier();
      if (instruction.guard.empty()) {
        fail("expected a predicate after `@`");
        return;
      }
    }
    uint32_t wordBegin = cursor_.position();
    std::string_view word = cursor_.identifier();
    if (word.empty() || word[0] == '%') {
      fail("expected an instruction", wordBegin, wordBegin + 1);
      return;
    }
    bool doubleColon = cursor_.startsWith("::");
    if (instruction.guard.empty() && cursor_.peek() == ':' && !doubleColon) {
      cursor_.take(':');
      if (cursor_.startsWith(".branchtargets") || cursor_.startsWith(".calltargets")) {
        cursor_.directive();
        BranchTargets targets{word, scope, {}};
        do
          targets.labels.push_back(cursor_.identifier());
        while (cursor_.take(',') && targets.labels.size() < kMaxOperands * 64);
        function.branchTargets.push_back(std::move(targets));
        expect(';');
        return;
      }
      if (cursor_.startsWith(".callprototype")) {
        cursor_.directive();
        callPrototype(function, {word, scope, 0, 0});
        return;
      }
      function.labels.push_back({word, scope, static_cast<uint32_t>(function.instructions.size())});
      return;
    }
    // The opcode goes on: `ld` + `.global.v2.b32`. In inline assembly there are blanks between: `xor  .b32`.
    if (cursor_.lastEnd() == cursor_.position() && (cursor_.peek() == '.' || doubleColon)) {
      cursor_.opcode();
      word = std::string_view(source_->text()).substr(wordBegin, cursor_.lastEnd() - wordBegin);
    }
    while (cursor_.peek() == '.')
      word = make(text(word, cursor_.opcode()));
    instruction.opcode = word;
    if (cursor_.peek() != ';') {
      OperandReader operands(cursor_);
      do {
        Operand operand;
        if (!operands.read(operand)) {
          fail(operands.problem());
          return;
        }
        instruction.operands.push_back(std::move(operand));
        if (instruction.operands.size() > kMaxOperands) {
          fail("too many operands");
          return;
        }
      } while (cursor_.take(','));
    }
    instruction.end = cursor_.lastEnd();
    if (!cursor_.take(';')) {
      fail(text("expected `;` after `", instruction.opcode, "`"));
      return;
    }
    function.instructions.push_back(std::move(instruction));
  }

  SourceRef source_;
  PtxCursor cursor_;
  Module module_;
  // By file, line and column: where the last such place is inlined, and its function.
  std::map<std::array<uint32_t, 3>, std::pair<uint32_t, uint32_t>> lastLocs_;
  std::map<std::string_view, uint32_t> inlinedFunctions_; // by label
  std::map<std::array<uint32_t, 4>, uint32_t> frames_;
  Diagnostics failure_;
  bool failed_ = false;
  bool external_ = false, linkage_ = false;
  uint64_t vectorFactor_ = 1;
};

} // namespace

Result<Module> parsePtx(SourceRef source) {
  if (source->text().size() > kMaxBytes)
    return error(kKind, Span{source, 0, 1}, "the PTX text is larger than 256 MiB");
  return Parser(std::move(source)).run();
}

} // namespace lanescope::core::emulator
