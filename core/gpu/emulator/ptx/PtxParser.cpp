#include "core/gpu/emulator/ptx/PtxParser.h"

#include "core/data/FileLimits.h"
#include "core/data/ProcessMemory.h"
#include "core/gpu/emulator/ptx/PtxCursor.h"
#include "core/gpu/emulator/ptx/PtxNames.h"
#include "core/gpu/emulator/ptx/PtxOperands.h"
#include "core/gpu/kernel/PtxArchitectures.h"
#include "layouts/support/DiagnosticKind.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace lanescope::core::emulator {

namespace {

constexpr DiagnosticKind kKind = "ptx-syntax";
constexpr std::string_view kNarrowsDoubles = "map_f64_to_f32";
constexpr size_t kMaxBytes = limitOf(FileRole::Ptx).bytes();
constexpr size_t kMaxScopeDepth = 64;
constexpr uint64_t kMaxRegisters = 1u << 24;
constexpr uint64_t kMaxVariableBytes = 1u << 30;

struct TypeInfo {
  std::string_view name;
  uint8_t bits;
};
constexpr TypeInfo kTypes[] = {
    {".pred", 1}, {".b8", 8},   {".b16", 16}, {".b32", 32}, {".b64", 64}, {".b128", 128},
    {".u8", 8},   {".u16", 16}, {".u32", 32}, {".u64", 64}, {".s8", 8},   {".s16", 16},
    {".s32", 32}, {".s64", 64}, {".f16", 16}, {".f32", 32}, {".f64", 64}, {".f16x2", 32},
};

uint8_t typeBits(std::string_view directive) {
  for (const TypeInfo &type : kTypes)
    if (type.name == directive)
      return type.bits;
  return 0;
}

RegisterKind kindOf(std::string_view directive) {
  bool number = directive.starts_with(".f");
  return number ? directive.ends_with("x2") ? RegisterKind::Halves : RegisterKind::Float
         : directive.starts_with(".u") || directive.starts_with(".s") ? RegisterKind::Integer
                                                                      : RegisterKind::Bits;
}

class Parser {
public:
  explicit Parser(SourceRef source) : source_(source), cursor_(withoutEnd(source->text())) {
    module_.source = std::move(source);
  }

  Result<Module> run() {
    if (size_t nul = withoutEnd(source_->text()).find('\0'); nul != std::string_view::npos)
      fail("PTX is text, and here is a NUL byte", static_cast<uint32_t>(nul), static_cast<uint32_t>(nul) + 1);
    auto strange = std::ranges::find_if(source_->text(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
    if (auto at = static_cast<uint32_t>(strange - source_->text().begin()); strange != source_->text().end())
      fail("PTX is ASCII, in comments too, and here is another character", at, at + 1);
    header();
    while (!cursor_.atEnd() && !failed_)
      topLevel();
    if (cursor_.unclosed())
      fail("the comment is not closed", *cursor_.unclosed(), *cursor_.unclosed() + 2);
    else if (linkage_)
      fail("expected a variable or function after its linkage", linkageBegin_, cursor_.lastEnd());
    refuseNarrowedDoubles();
    if (failed_)
      return std::unexpected(std::move(failure_));
    return std::move(module_);
  }

private:
  /// Removes the NUL bytes with which NVRTC and nvJitLink end their buffers.
  static std::string_view withoutEnd(std::string_view text) {
    size_t last = text.find_last_not_of('\0');
    return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
  }

  bool fail(Message message, uint32_t begin, uint32_t end) {
    if (!failed_)
      failure_.push_back(
          diagnosed(Severity::Error, kKind, Span{source_, begin, std::max(end, begin + 1)}, std::move(message)));
    failed_ = true;
    return false;
  }
  bool fail(Message message) { return fail(std::move(message), cursor_.position(), cursor_.position() + 1); }
  bool expect(char c) { return cursor_.take(c) || fail(Message("expected `{}`", c)); }

  bool integer(uint64_t &value) {
    auto number = cursor_.number();
    if (!number || number->kind != Operand::Kind::Integer)
      return fail("expected an integer");
    value = number->bits;
    return true;
  }
  /// An integer without a sign.
  bool natural(uint64_t &value) {
    if (cursor_.peek() == '-' || cursor_.peek() == '+')
      return fail("expected an integer without a sign");
    return integer(value);
  }

  /// Reads `.version`, `.target` and `.address_size`. They must come first, and in this order.
  void header() {
    if (failed_)
      return;
    if (!cursor_.takeDirective(".version")) {
      fail("PTX begins with `.version`, such as `.version 8.6`");
      return;
    }
    uint32_t begin = cursor_.position();
    int version = ptxVersion(cursor_.version());
    if (version == 0) {
      fail("there is no such version of PTX", begin, cursor_.lastEnd());
      return;
    }
    module_.version = version;
    if (!cursor_.takeDirective(".target")) {
      fail("expected `.target` after `.version`, such as `.target sm_90a`");
      return;
    }
    do
      target(version);
    while (!failed_ && cursor_.takeDirective(".target"));
    begin = cursor_.position();
    if (failed_ || !cursor_.takeDirective(".address_size"))
      return;
    uint64_t size = 0;
    if (natural(size) && size != 64)
      fail("only `.address_size 64` can be run", begin, cursor_.lastEnd());
  }

  /// Reads `.target sm_90a, debug`.
  void target(int version) {
    bool first = true;
    do {
      uint32_t begin = cursor_.position();
      std::string_view name = cursor_.identifier();
      const PtxArchitecture *architecture = findPtxArchitecture(name);
      if (architecture && architecture->since > version) {
        fail(Message("`{name}` needs `.version {}` or a later one", name, ptxVersionText(architecture->since)), begin,
             cursor_.lastEnd());
        return;
      }
      if (architecture)
        module_.target = name;
      else if (first || !isTargetOption(name)) {
        fail(name.starts_with("sm_") ? noPtxArchitectureText(name)
                                     : Message("`.target` takes an architecture such as `sm_90a`{}, not `{name}`",
                                               first ? "" : " and options such as `debug`", name),
             begin, cursor_.lastEnd());
        return;
      }
      first = false;
    } while (cursor_.take(','));
  }
  bool isTargetOption(std::string_view name) {
    narrowsDoubles_ |= name == kNarrowsDoubles;
    return name == "debug" || name == "texmode_unified" || name == "texmode_independent" || name == kNarrowsDoubles;
  }

  /// With the option `map_f64_to_f32` (PTX ISA, `.target`), instructions on `.f64` compute in `.f32`.
  void refuseNarrowedDoubles() {
    if (!narrowsDoubles_)
      return;
    for (const Function &function : module_.functions)
      for (const Instruction &one : function.instructions)
        if (one.opcode.find(".f64") != std::string_view::npos)
          fail(
              Message("with `{}`, this instruction computes in `.f32`; the emulator has no such mode", kNarrowsDoubles),
              one.begin, one.begin + 1);
  }

  void topLevel() {
    uint32_t begin = cursor_.position();
    std::string_view word = cursor_.directive();
    if (word.empty()) {
      fail("expected a directive such as `.visible .entry` or `.global`");
      return;
    }
    if (linkage_ && word != ".entry" && word != ".func" && word != ".global" && word != ".const" && word != ".shared") {
      fail("expected a variable or function after its linkage", begin, cursor_.lastEnd());
    } else if (word == ".version" || word == ".target" || word == ".address_size") {
      fail(Message("`{}` belongs at the beginning, once", word), begin, cursor_.lastEnd());
    } else if (word == ".file") {
      fileDirective();
    } else if (word == ".section") {
      cursor_.directive();
      if (cursor_.peek() != '{' || !cursor_.skipBraces())
        fail("expected `{ … }` after `.section`");
    } else if (word == ".pragma") {
      pragma();
    } else if (word == ".visible" || word == ".weak" || word == ".common" || word == ".extern") {
      external_ = word == ".extern";
      linkage_ = true;
      linkageBegin_ = begin;
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
      variables(word, begin, 0, [&](Variable &&one) {
        module_.variables.push_back(std::move(one));
        declareInModule(module_.variables.back());
        return !failed_;
      });
    } else {
      fail(Message("unknown directive `{}`", word), begin, cursor_.lastEnd());
    }
    external_ = false;
    linkage_ = false;
  }

  void fileDirective() {
    uint64_t number = 0;
    if (!natural(number))
      return;
    if (number > 65535) {
      fail("file number out of range");
      return;
    }
    std::string_view name;
    if (!quoted(name))
      return;
    if (module_.files.size() <= number)
      module_.files.resize(number + 1);
    module_.files[number] = name;
    while (cursor_.take(','))
      cursor_.number();
  }

  /// Reads a quoted text `"…"` on one line.
  bool quoted(std::string_view &text) {
    uint32_t begin = cursor_.position();
    if (cursor_.peek() != '"')
      return fail("expected a text in quotes");
    text = cursor_.quoted();
    if (cursor_.lastEnd() - begin < text.size() + 2 || text.contains('\n'))
      return fail("the text's quotes are not closed", begin, begin + 1);
    return true;
  }

  void pragma() {
    std::string_view text;
    do
      if (!quoted(text))
        return;
    while (cursor_.take(','));
    expect(';');
  }

  /// .loc file line column [, function_name label, inlined_at file line column]
  ///
  /// Returns its index in the module. A statement that continues after code without a line (line 0) keeps its index.
  uint32_t locDirective() {
    uint64_t file = 0, line = 0, column = 0;
    if (!natural(file) || !natural(line) || !natural(column))
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
        if (!natural(at[0]) || !natural(at[1]) || !natural(at[2]))
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

  /// Returns the index of an inlined function that has code at the line.
  uint32_t inlinedFunction(std::string_view label, uint32_t line) {
    auto [number, fresh] = inlinedFunctions_.try_emplace(label, static_cast<uint32_t>(module_.inlined.size()));
    if (fresh)
      module_.inlined.emplace_back();
    if (line > 0) { // line 0 means no line
      InlinedFunction &function = module_.inlined[number->second];
      function.firstLine = std::min(function.firstLine, line);
      function.lastLine = std::max(function.lastLine, line);
    }
    return number->second;
  }

  /// The frame for a place where a function is inlined. That place may itself be in an inlined function, according to
  /// its last `.loc`.
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
    TypeInfo type{};
    bool pointer = false; // the address space of a pointer comes after `.ptr`
    for (;;) {
      uint32_t at = cursor_.position();
      std::string_view word = cursor_.directive();
      if (word.empty())
        break;
      if (word == ".align") {
        uint64_t align = 0;
        if (!natural(align))
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
        type = {word, found};
        variable.byteType = found == 8;
        variable.kind = word[1] == 'b'   ? RegisterKind::Bits
                        : word[1] == 'f' ? RegisterKind::Float
                                         : RegisterKind::Integer;
      } else if (word == ".v2" || word == ".v4") {
        vectorFactor_ = word == ".v2" ? 2 : 4;
      } else if (word == ".ptr") {
        pointer = true;
      } else if (!pointer || (word != ".global" && word != ".shared" && word != ".const" && word != ".local")) {
        return fail(Message("unknown attribute `{}` of a variable", word), at, cursor_.lastEnd());
      }
    }
    if (!bits)
      return fail("expected a type such as `.b32`");
    declaredType_ = type;
    return declarator(variable);
  }

  /// `name[dims] [= init]` of the type that was read last.
  bool declarator(Variable &variable) {
    uint8_t bits = declaredType_.bits;
    uint64_t factor = vectorFactor_;
    variable.name = cursor_.identifier();
    uint64_t count = 1;
    size_t dimensions = vectorFactor_ > 1 ? 1 : 0;
    while (cursor_.take('[')) {
      ++dimensions;
      variable.scalar = false;
      uint64_t size = 0;
      if (cursor_.peek() != ']' && !natural(size))
        return false;
      if (!expect(']'))
        return false;
      count = count > kMaxVariableBytes || size > kMaxVariableBytes ? kMaxVariableBytes + 1 : count * size;
    }
    if (count > kMaxVariableBytes)
      return fail("the variable is too large (over 1 GiB)", variable.begin, cursor_.lastEnd());
    variable.bytes = count * factor * (bits / 8);
    variable.align = std::max<uint32_t>(variable.align, bits / 8);
    if (cursor_.take('=') && !initializer(variable, dimensions, 0))
      return false;
    if (variable.scalar == false && variable.bytes == 0 && !variable.initial.empty())
      variable.bytes = variable.initial.size();
    if (variable.initial.size() > variable.bytes)
      return fail(Message("`{name}` has {bytes} bytes, and its initial value has {count}", variable.name,
                          variable.bytes, variable.initial.size()),
                  variable.begin, cursor_.lastEnd());
    return true;
  }

  /// Reads an initial value: one number for a scalar, or for an array a list that is nested as deeply as the array has
  /// dimensions.
  bool initializer(Variable &variable, size_t dimensions, size_t depth) {
    int bytes = declaredType_.bits / 8;
    if ((cursor_.peek() == '{') != (depth < dimensions))
      return fail(
          depth < dimensions
              ? Message("`{name}` is an array of {}{}; its initial value is in as many `{{ }}`", variable.name,
                        dimensions, dimensions == 1 ? " dimension" : " dimensions")
              : Message("the initial value of `{name}` has more `{{ }}` than it has dimensions", variable.name));
    if (cursor_.take('{')) {
      do
        if (!initializer(variable, dimensions, depth + 1))
          return false;
      while (cursor_.take(','));
      return expect('}');
    }
    if (declaredType_.name.starts_with(".f16"))
      return fail(Message("a variable of `{name}` has no initial value; one of `.b16` has", declaredType_.name));
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
    if (declaredType_.name.starts_with(".f") && number->kind == Operand::Kind::Integer)
      return fail(
          Message("`{name}` holds numbers with a fraction, and this is a whole number; write `1.0` or `0f3F800000`",
                  variable.name));
    if (number->kind != Operand::Kind::Integer && (declaredType_.name[1] == 'u' || declaredType_.name[1] == 's'))
      return fail(Message("`{name}` holds whole numbers, and this one has a fraction; `.b{bits}` holds either",
                          variable.name, declaredType_.bits));
    if (number->kind == Operand::Kind::Float64 && bytes == 4)
      bits = std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
    for (int i = 0; i < bytes; ++i)
      variable.initial.push_back(i < 8 ? static_cast<uint8_t>(bits >> (8 * i)) : 0);
    return variable.initial.size() <= kMaxVariableBytes || fail("the initializer is too large");
  }

  /// Reads `name`, `name + 4` or `generic(name) + 4`. The decoder computes the value.
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

  /// Reads `0xFF00(name)` after its mask: one byte of an address.
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

  /// Reads `.space [.align n] .type name[dims] [= init], …;`. Passes each variable to `declared`, which may reject it.
  bool variables(std::string_view space, uint32_t begin, uint32_t scope,
                 const std::function<bool(Variable &&)> &declared) {
    Variable first;
    first.space = spaceOf(space);
    first.scope = scope;
    first.begin = begin;
    first.external = external_;
    if (!variableTail(first))
      return false;
    Variable like = first; // later variables share its space and type
    while (isSound(first) && declared(std::move(first)) && cursor_.take(',')) {
      first = Variable{};
      first.space = like.space;
      first.scope = scope;
      first.begin = cursor_.position();
      first.external = external_;
      first.align = like.align;
      first.byteType = like.byteType;
      first.kind = like.kind;
      if (!declarator(first))
        return false;
    }
    vectorFactor_ = 1;
    return !failed_ && expect(';');
  }

  bool isSound(const Variable &variable) {
    if (variable.name.empty())
      return fail("expected the variable's name");
    if (!variable.external && variable.bytes == 0)
      return fail(Message("`{name}` has no size; only `.extern` arrays may leave it out", variable.name),
                  variable.begin, cursor_.lastEnd());
    if (!variable.initial.empty() &&
        (variable.external || (variable.space != Space::Global && variable.space != Space::Const)))
      return fail(Message("`{name}` cannot be initialised: {}", variable.name,
                          variable.external ? "it is defined elsewhere" : "only `.global` and `.const` variables can"),
                  variable.begin, cursor_.lastEnd());
    return true;
  }

  bool twice(std::string_view name, uint32_t begin, uint32_t end) {
    return fail(Message("`{name}` is declared twice here", name), begin, end);
  }
  /// Adds a name to the scope.
  bool declare(uint32_t scope, std::string_view name) {
    if (names_[scope].add(name))
      return true;
    auto begin = static_cast<uint32_t>(name.data() - source_->text().data());
    return twice(name, begin, begin + static_cast<uint32_t>(name.size()));
  }

  /// Declares a variable. It may be declared as `.extern` several times, but defined only once.
  void declareInModule(const Variable &variable) {
    auto [known, fresh] = moduleVariables_.try_emplace(variable.name, variable.external);
    bool isFunction = moduleFunctions_.contains(variable.name);
    if (isFunction || (!fresh && !known->second && !variable.external))
      twice(variable.name, variable.begin, cursor_.lastEnd());
    known->second &= variable.external;
  }
  /// Declares a function. It may be declared before its definition. Both must have the same number of parameters.
  void declareInModule(const Function &function) {
    auto [known, fresh] = moduleFunctions_.try_emplace(function.name, Signature{});
    Signature own{function.defined, function.params.size(), function.results.size()};
    if (moduleVariables_.contains(function.name) || (!fresh && known->second.defined))
      twice(function.name, function.begin, function.begin + 1);
    else if (!fresh && (known->second.params != own.params || known->second.results != own.results))
      fail(Message("`{name}` was declared with other parameters", function.name), function.begin, function.begin + 1);
    known->second = own;
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
      vectorFactor_ = 1;
      if (!param.name.empty() && param.name != "_" && !parameterNames_.add(param.name))
        return twice(param.name, begin, cursor_.lastEnd());
      out.push_back(std::move(param));
      if (!cursor_.take(','))
        break;
      if (cursor_.peek() == ')')
        return fail("expected a parameter after the comma");
    }
    return expect(')');
  }

  void function(bool entry, uint32_t begin) {
    Function function;
    function.entry = entry;
    function.begin = begin;
    parameterNames_ = {};
    if (entry && cursor_.peek() == '(') {
      fail("an entry gives no results; expected its name");
      return;
    }
    if (cursor_.peek() == '(' && !parameters(function.results))
      return;
    function.name = cursor_.identifier();
    if (function.name.empty() || function.name == "_") {
      fail("expected the function's name");
      return;
    }
    if (cursor_.peek() == '(' && !parameters(function.params))
      return;
    for (const Variable &param : function.params)
      if (entry && param.isRegister) {
        fail(Message("a parameter of an entry is in `.param`, and `{name}` in a register", param.name), param.begin,
             cursor_.lastEnd());
        return;
      }
    functionDirectives(function);
    if (failed_)
      return;
    function.defined = !cursor_.take(';');
    declareInModule(function);
    if (failed_)
      return;
    if (function.defined)
      body(function);
    module_.functions.push_back(std::move(function));
  }

  /// The number of values that a function directive has, and the kind of function to which it applies.
  struct FunctionDirective {
    std::string_view name;
    size_t least, most;
    bool forEntries, positive;
  };

  void functionDirectives(Function &function) {
    static constexpr FunctionDirective kKnown[] = {{".maxntid", 1, 3, true, true},
                                                   {".reqntid", 1, 3, true, true},
                                                   {".minnctapersm", 1, 1, true, false},
                                                   {".maxnctapersm", 1, 1, true, false},
                                                   {".maxnreg", 1, 1, true, true},
                                                   {".reqnctapercluster", 1, 3, true, false},
                                                   {".explicitcluster", 0, 0, true, false},
                                                   {".maxclusterrank", 1, 1, true, false},
                                                   {".blocksareclusters", 0, 0, true, false},
                                                   {".noreturn", 0, 0, false, false},
                                                   {".abi_preserve", 1, 1, false, false},
                                                   {".abi_preserve_control", 1, 1, false, false}};
    std::set<std::string_view> given;
    while (!failed_ && cursor_.peek() == '.') {
      uint32_t at = cursor_.position();
      std::string_view word = cursor_.directive();
      if (word == ".pragma") {
        pragma();
        continue;
      }
      const auto *known = std::ranges::find(kKnown, word, &FunctionDirective::name);
      if (known == std::end(kKnown)) {
        fail(Message("unknown directive `{}`", word), at, cursor_.lastEnd());
        return;
      }
      if (known->forEntries != function.entry) {
        fail(Message("`{}` is for {}", word, known->forEntries ? "entries" : "functions that are no entries"), at,
             cursor_.lastEnd());
        return;
      }
      functionDirective(function, *known, at);
      given.insert(word);
      for (auto [one, other] : {std::pair(".maxntid", ".reqntid"), std::pair(".reqnctapercluster", ".maxclusterrank")})
        if (given.contains(one) && given.contains(other)) {
          fail(Message("an entry has `{}` or `{}`, not both", one, other), at, cursor_.lastEnd());
          return;
        }
    }
  }

  void functionDirective(Function &function, const FunctionDirective &directive, uint32_t begin) {
    std::string_view word = directive.name;
    uint64_t product = 1;
    std::array<uint32_t, 3> numbers{1, 1, 1};
    for (size_t n = 0; n < directive.most; ++n) {
      uint64_t number = 0;
      if (!natural(number))
        return;
      if (directive.positive && number == 0) {
        fail(Message("`{}` takes numbers above 0", word), begin, cursor_.lastEnd());
        return;
      }
      if (number > UINT32_MAX) {
        fail(Message("`{}` takes numbers of 32 bits", word), begin, cursor_.lastEnd());
        return;
      }
      product = std::min<uint64_t>(product * number, UINT32_MAX);
      numbers[n] = static_cast<uint32_t>(std::min<uint64_t>(number, UINT32_MAX));
      if (n + 1 == directive.most || !cursor_.take(','))
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

  void body(Function &function) {
    if (!expect('{'))
      return;
    function.scopeParents = {0};
    std::vector<uint32_t> scopes{0};
    names_.clear();
    names_.push_back(std::move(parameterNames_));
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
        names_.emplace_back();
        scopes.push_back(static_cast<uint32_t>(function.scopeParents.size() - 1));
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
      variables(word, begin, scope, [&](Variable &&one) {
        function.variables.push_back(std::move(one));
        return declare(scope, function.variables.back().name);
      });
    } else if (word == ".pragma") {
      pragma();
    } else if (word == ".file") {
      fileDirective();
    } else {
      fail(Message("unknown directive `{}`", word), begin, cursor_.lastEnd());
    }
  }

  /// `[(results)] _ [(parameters)] [.noreturn …];`
  void callPrototype(Function &function, Prototype prototype) {
    std::vector<Variable> results, params;
    parameterNames_ = {};
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
      fail(Message("unknown register type `{}`", type), at, cursor_.lastEnd());
      return;
    }
    do {
      RegisterDecl decl;
      decl.begin = cursor_.position();
      decl.name = cursor_.identifier();
      decl.bits = bits;
      decl.kind = kindOf(type);
      decl.scope = scope;
      if (decl.name.empty()) {
        fail("expected a register's name");
        return;
      }
      if (bool numbered = cursor_.take('<'); numbered ? !registerCount(decl) : !declare(scope, decl.name))
        return;
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

  /// Reads the rest of `prefix<count>`.
  bool registerCount(RegisterDecl &decl) {
    uint64_t count = 0;
    if (!natural(count) || !expect('>'))
      return false;
    auto begin = static_cast<uint32_t>(decl.name.data() - source_->text().data());
    if (count > kMaxRegisters)
      return fail(Message("one declaration has more than {limit} registers", kMaxRegisters), begin, cursor_.lastEnd());
    decl.count = static_cast<uint32_t>(count);
    return names_[decl.scope].addNumbered(decl.name, decl.count) || twice(decl.name, begin, cursor_.lastEnd());
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
        if (!declare(scope, word))
          return;
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
        if (declare(scope, word))
          callPrototype(function, {word, scope, 0, 0});
        return;
      }
      if (!declare(scope, word))
        return;
      function.labels.push_back({word, scope, static_cast<uint32_t>(function.instructions.size())});
      return;
    }
    // The opcode continues: `ld` is followed by `.global.v2.b32`. In inline assembly, a modifier may also follow after
    // blanks.
    if (cursor_.lastEnd() == cursor_.position() && (cursor_.peek() == '.' || doubleColon)) {
      cursor_.opcode();
      word = std::string_view(source_->text()).substr(wordBegin, cursor_.lastEnd() - wordBegin);
    }
    // ptxas reads these names together with their first modifier as one word.
    constexpr std::array<std::string_view, 10> kOneWord{"mul", "mad",  "mul24", "mad24", "madc",
                                                        "shf", "dp2a", "cp",    "cvta",  "mbarrier"};
    if (cursor_.peek() == '.' && std::ranges::find(kOneWord, word) != kOneWord.end()) {
      fail(Message("`{}` and its first modifier are one word, without a blank between them", word), wordBegin,
           cursor_.lastEnd());
      return;
    }
    while (cursor_.peek() == '.')
      word = make(text(word, cursor_.opcode()));
    if (word.ends_with('.') || word.contains("..")) {
      fail(Message("`{}` has an empty part between its dots", word), wordBegin, cursor_.lastEnd());
      return;
    }
    // PTX ISA, `mad`: for the first GPUs (sm_1x) it has no rounding modifier, and later GPUs run it as this one.
    bool forFirstGpus = module_.target.starts_with("sm_1") && module_.target.size() == 5;
    instruction.opcode = forFirstGpus && word == "mad.f32" ? std::string_view("fma.rn.ftz.f32") : word;
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
      fail(Message("expected `;` after `{instruction}`", instruction.opcode));
      return;
    }
    function.instructions.push_back(std::move(instruction));
  }

  SourceRef source_;
  PtxCursor cursor_;
  Module module_;
  // For the last `.loc` with a given file, line and column: the number of the frame in which its code is inlined, and
  // the function of that code.
  std::map<std::array<uint32_t, 3>, std::pair<uint32_t, uint32_t>> lastLocs_;
  std::map<std::string_view, uint32_t> inlinedFunctions_; // by label
  std::map<std::array<uint32_t, 4>, uint32_t> frames_;
  Diagnostics failure_;
  bool failed_ = false, narrowsDoubles_ = false;
  bool external_ = false, linkage_ = false;
  uint32_t linkageBegin_ = 0;
  struct Signature {
    bool defined = false;
    size_t params = 0, results = 0;
  };
  std::map<std::string_view, bool> moduleVariables_; // true if all declarations so far are `.extern`
  std::map<std::string_view, Signature> moduleFunctions_;
  DeclaredNames parameterNames_;     // names of the current function's parameters
  std::vector<DeclaredNames> names_; // one per scope; the first one includes the parameters
  uint64_t vectorFactor_ = 1;
  TypeInfo declaredType_; // type in the current declaration
};

} // namespace

Result<Module> parsePtx(SourceRef source) {
  if (source->text().size() > kMaxBytes)
    return error(kKind, Span{source, 0, 1}, "the PTX text is larger than 256 MiB");
  constexpr uint64_t kPerByte = 24; // the most memory that short instructions need per byte of text
  if (Result<void> room = reserveParsed(source, kPerByte); !room)
    return std::unexpected(std::move(room.error()));
  return Parser(std::move(source)).run();
}

} // namespace lanescope::core::emulator
