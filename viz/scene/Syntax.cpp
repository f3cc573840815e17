#include "viz/scene/Syntax.h"

#include <algorithm>
#include <array>
#include <span>

namespace lanescope::viz {

namespace {

constexpr std::string_view kPythonWords[] = {
    "False", "None", "True",   "and",      "as",    "assert", "break", "class",  "continue", "def",  "del",
    "elif",  "else", "except", "for",      "from",  "global", "if",    "import", "in",       "is",   "lambda",
    "not",   "or",   "pass",   "nonlocal", "raise", "return", "try",   "while",  "with",     "yield"};
constexpr std::string_view kPythonTypes[] = {"bool", "bytes", "dict", "float", "int", "list", "set", "str", "tuple"};
constexpr std::string_view kMlirWords[] = {
    "attributes", "module", "func",  "to",   "step",  "iter_args", "else",       "do",   "loc",     "true",
    "false",      "from",   "dense", "unit", "array", "opaque",    "affine_map", "into", "private", "public"};
constexpr std::string_view kMlirTypes[] = {"index", "vector",  "memref",  "tensor", "none",
                                           "tuple", "complex", "strided", "token"};
constexpr std::string_view kLlvmWords[] = {"define",
                                           "declare",
                                           "to",
                                           "nounwind",
                                           "convergent",
                                           "align",
                                           "inbounds",
                                           "nuw",
                                           "nsw",
                                           "tail",
                                           "global",
                                           "constant",
                                           "external",
                                           "private",
                                           "internal",
                                           "addrspace",
                                           "source_filename",
                                           "target",
                                           "datalayout",
                                           "triple",
                                           "attributes",
                                           "undef",
                                           "poison",
                                           "true",
                                           "false",
                                           "null",
                                           "asm",
                                           "sideeffect",
                                           "volatile",
                                           "distinct",
                                           "zeroinitializer",
                                           "unnamed_addr",
                                           "local_unnamed_addr",
                                           "readnone",
                                           "nocapture",
                                           "noundef",
                                           "x",
                                           "contract",
                                           "fast",
                                           "disjoint",
                                           "range",
                                           "exact",
                                           "samesign",
                                           "nneg",
                                           "dso_local",
                                           "ptx_kernel"};
constexpr std::string_view kLlvmTypes[] = {"void",  "half",  "bfloat", "float",    "double",
                                           "fp128", "label", "ptr",    "metadata", "token"};
constexpr std::string_view kSassWords[] = {"PT", "RZ", "UPT", "URZ"};

/// The lexical rules of a language. One scanner uses them for all languages.
struct Grammar {
  Language language = Language::Plain;
  std::string_view lineComment = {};
  bool blockComments = false; // /* */
  bool tripleStrings = false; // """ over several lines
  std::string_view quotes = {};
  std::string_view values = {};     // characters with which a value begins
  std::string_view directives = {}; // characters with which an attribute, a directive or a decorator begins
  std::string_view labels = {};
  bool dotted = false;             // words continue after a dot
  bool firstIsOperation = false;   // the first word of a line is the operation; it may follow a guard, a label or `x =`
  bool callsAreOperations = false; // a word before a bracket is an operation
  std::span<const std::string_view> words = {}, types = {};
};

constexpr Grammar kGrammars[] = {
    {},
    {.language = Language::Python,
     .lineComment = "#",
     .tripleStrings = true,
     .quotes = "\"'",
     .directives = "@",
     .callsAreOperations = true,
     .words = kPythonWords,
     .types = kPythonTypes},
    {.language = Language::Mlir,
     .lineComment = "//",
     .quotes = "\"",
     .values = "%@",
     .directives = "#!",
     .labels = "^",
     .dotted = true,
     .words = kMlirWords,
     .types = kMlirTypes},
    {.language = Language::Llvm,
     .lineComment = ";",
     .quotes = "\"",
     .values = "%@",
     .directives = "#!",
     .dotted = true,
     .firstIsOperation = true,
     .words = kLlvmWords,
     .types = kLlvmTypes},
    {.language = Language::Ptx,
     .lineComment = "//",
     .blockComments = true,
     .quotes = "\"",
     .values = "%",
     .directives = ".",
     .dotted = true,
     .firstIsOperation = true},
    {.language = Language::Sass,
     .lineComment = "//",
     .blockComments = true,
     .quotes = "\"",
     .directives = ".",
     .dotted = true,
     .firstIsOperation = true,
     .words = kSassWords},
};

enum State : SyntaxState { Nothing, InComment, InDouble, InSingle };

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isWordStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || (c & 0x80);
}
bool isWord(char c) { return isWordStart(c) || isDigit(c); }
bool among(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

/// True for a type with letters and bits: i32, f16, bf16, u8, si4, f8E4M3FN, v2f32.
bool isNumberedType(std::string_view word) {
  size_t letters = 0;
  while (letters < word.size() && !isDigit(word[letters]))
    ++letters;
  std::string_view kind = word.substr(0, letters);
  constexpr std::string_view kKinds[] = {"i", "u", "f", "b", "s", "si", "ui", "bf", "pred"};
  if (letters == word.size() || std::ranges::find(kKinds, kind) == std::end(kKinds))
    return false;
  return std::ranges::all_of(word.substr(letters), isWord);
}

/// True for R12, UR4, P0, UP1, B3, SB0, SR_TID.X.
bool isMachineRegister(std::string_view word) {
  if (word.starts_with("SR_"))
    return true;
  constexpr std::string_view kKinds[] = {"UR", "UP", "SB", "R", "P", "B"};
  for (std::string_view kind : kKinds)
    if (word.starts_with(kind) && word.size() > kind.size() && isDigit(word[kind.size()]))
      return true;
  return false;
}

class LineScanner {
public:
  LineScanner(const Grammar &grammar, std::string_view line, std::vector<SyntaxToken> &out)
      : g_(grammar), line_(line), out_(out), begins_(grammar.firstIsOperation) {}

  SyntaxState run(SyntaxState state) {
    if (state == InComment)
      state = blockComment(0);
    else if (state == InDouble || state == InSingle)
      state = tripleString(state, 0);
    while (at_ < line_.size() && state == Nothing)
      state = next();
    return state;
  }

private:
  char peek(size_t ahead = 0) const { return at_ + ahead < line_.size() ? line_[at_ + ahead] : '\0'; }
  void add(size_t begin, SyntaxKind kind) {
    out_.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(at_), kind});
  }

  SyntaxState blockComment(size_t begin) {
    size_t close = line_.find("*/", at_);
    at_ = close == std::string_view::npos ? line_.size() : close + 2;
    add(begin, SyntaxKind::Comment);
    return close == std::string_view::npos ? InComment : Nothing;
  }
  SyntaxState tripleString(SyntaxState state, size_t begin) {
    size_t close = line_.find(state == InDouble ? "\"\"\"" : "'''", at_);
    at_ = close == std::string_view::npos ? line_.size() : close + 3;
    add(begin, SyntaxKind::String);
    return close == std::string_view::npos ? state : SyntaxState{Nothing};
  }
  void quoted(size_t begin) {
    char quote = peek();
    for (++at_; at_ < line_.size(); ++at_) {
      if (line_[at_] == '\\') {
        ++at_;
      } else if (line_[at_] == quote) {
        break;
      }
    }
    at_ = std::min(at_ + 1, line_.size());
    add(begin, SyntaxKind::String);
  }
  /// Reads a word that follows a sigil: %r1, #map, .reg, ^bb1, @"a b".
  void sigil(SyntaxKind kind) {
    size_t begin = at_++;
    if (peek() == '"' && g_.language != Language::Python) {
      quoted(begin);
      out_.back().kind = kind;
      return;
    }
    bool dashes = g_.language == Language::Llvm || g_.language == Language::Mlir; // %c-1_i32
    while (isWord(peek()) || (peek() == '.' && g_.language != Language::Ptx) ||
           (dashes && peek() == '-' && isWord(peek(1))))
      ++at_;
    add(begin, kind);
  }
  void number() {
    size_t begin = at_++;
    while (at_ < line_.size() &&
           (isWord(peek()) || (peek() == '.' && isDigit(peek(1))) ||
            ((peek() == '+' || peek() == '-') && (line_[at_ - 1] == 'e' || line_[at_ - 1] == 'E') && isDigit(peek(1)) &&
             line_[begin] != '0')))
      // In 64x64xf16, the shape ends where the element type begins.
      if (peek() == 'x' && g_.language != Language::Python && line_[begin] != '0' && !isDigit(peek(1))) {
        break;
      } else {
        ++at_;
      }
    add(begin, SyntaxKind::Number);
    if (peek() == 'x' && g_.language != Language::Python && g_.language != Language::Sass)
      ++at_; // skip the x before an element type
  }
  void word() {
    size_t begin = at_;
    for (size_t step = 1; at_ < line_.size() && step > 0; at_ += step) {
      std::string_view rest = line_.substr(at_);
      step = isWord(rest[0])                                                             ? 1
             : g_.dotted && rest[0] == '.' && rest.size() > 1 && isWord(rest[1])         ? 2
             : g_.dotted && rest.starts_with("::") && rest.size() > 2 && isWord(rest[2]) ? 3
                                                                                         : 0;
    }
    std::string_view word = line_.substr(begin, at_ - begin);
    bool first = begins_;
    if (g_.language != Language::Python && peek() == ':' && first && g_.firstIsOperation && peek(1) != ':')
      return add(begin, SyntaxKind::Label);
    begins_ = false;
    if (std::ranges::find(g_.words, word) != g_.words.end())
      return add(begin, SyntaxKind::Keyword);
    if (std::ranges::find(g_.types, word) != g_.types.end() ||
        (g_.language != Language::Sass && g_.language != Language::Ptx && isNumberedType(word)))
      return add(begin, SyntaxKind::Type);
    if (g_.language == Language::Sass && isMachineRegister(word))
      return add(begin, SyntaxKind::Value);
    bool dottedName = g_.language == Language::Mlir && word.find('.') != std::string_view::npos;
    if ((first && g_.firstIsOperation) || dottedName)
      return add(begin, SyntaxKind::Operation);
    if (g_.callsAreOperations && peek() == '(')
      return add(begin, SyntaxKind::Operation);
  }

  SyntaxState next() {
    char c = peek();
    std::string_view rest = line_.substr(at_);
    if (c == ' ' || c == '\t') {
      ++at_;
    } else if (!g_.lineComment.empty() && rest.starts_with(g_.lineComment)) {
      size_t begin = at_;
      at_ = line_.size();
      add(begin, SyntaxKind::Comment);
    } else if (g_.blockComments && rest.starts_with("/*")) {
      size_t begin = at_;
      at_ += 2;
      return blockComment(begin);
    } else if (g_.tripleStrings && (rest.starts_with("\"\"\"") || rest.starts_with("'''"))) {
      size_t begin = at_;
      at_ += 3;
      return tripleString(c == '"' ? InDouble : InSingle, begin);
    } else if (among(c, g_.quotes)) {
      quoted(at_);
      if (g_.language == Language::Mlir && peek() == '(') // an operation in generic form
        out_.back().kind = SyntaxKind::Operation;
    } else if (among(c, g_.values) && (isWord(peek(1)) || peek(1) == '"')) {
      sigil(SyntaxKind::Value);
    } else if (among(c, g_.labels) && isWord(peek(1))) {
      sigil(SyntaxKind::Label);
    } else if (among(c, g_.directives) && isWordStart(peek(1))) {
      sigil(SyntaxKind::Directive);
      begins_ &= g_.language != Language::Ptx; // `.reg .b32 now;` has no opcode
      if (g_.language == Language::Sass && peek() == ':')
        out_.back().kind = SyntaxKind::Label;
    } else if (isDigit(c)) {
      number();
    } else if (isWordStart(c)) {
      word();
    } else {
      // `@!P0`: the word after a guard counts as the first word of the line. So does a word after `x =`, `{` or `;`.
      if (c == '@' && g_.firstIsOperation && at_ + 1 < line_.size())
        guard();
      else
        ++at_;
      begins_ |= g_.firstIsOperation && (c == ';' || c == '{');
    }
    return Nothing;
  }
  /// Reads a guard: @%p1, @!P0.
  void guard() {
    size_t begin = ++at_;
    if (peek() == '!')
      begin = ++at_;
    if (peek() == '%')
      ++at_;
    while (isWord(peek()))
      ++at_;
    if (at_ > begin)
      add(begin, SyntaxKind::Value);
  }

  const Grammar &g_;
  std::string_view line_;
  std::vector<SyntaxToken> &out_;
  size_t at_ = 0;
  bool begins_; // no word that may be the operation has been read yet
};

} // namespace

Language languageOf(std::string_view name) {
  constexpr std::pair<std::string_view, Language> kStages[] = {
      {"snippet", Language::Python}, {"source", Language::Python}, {"ir", Language::Mlir},
      {"laid-out", Language::Mlir},  {"nvvm", Language::Mlir},     {"module", Language::Mlir},
      {"llvm", Language::Llvm},      {"ptx", Language::Ptx},       {"sass", Language::Sass}};
  for (auto [id, language] : kStages)
    if (name == id)
      return language;
  constexpr std::pair<std::string_view, Language> kEndings[] = {{".py", Language::Python},
                                                                {".mlir", Language::Mlir},
                                                                {".ll", Language::Llvm},
                                                                {"ptx", Language::Ptx},
                                                                {".sass", Language::Sass}};
  for (auto [ending, language] : kEndings)
    if (name.ends_with(ending))
      return language;
  return Language::Plain;
}

SyntaxState scanLine(Language language, std::string_view line, SyntaxState state, std::vector<SyntaxToken> &out) {
  if (language == Language::Plain)
    return 0;
  return LineScanner(kGrammars[static_cast<size_t>(language)], line, out).run(state);
}

std::vector<SyntaxState> syntaxStates(Language language, std::string_view text) {
  const Grammar &grammar = kGrammars[static_cast<size_t>(language)];
  std::vector<SyntaxState> out{0};
  bool many = grammar.tripleStrings || grammar.blockComments;
  std::vector<SyntaxToken> ignored;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    // Most lines neither begin nor end a construct, so no scan is needed for them.
    bool plain = !many || (out.back() == 0 && line.find("/*") == line.npos && line.find("\"\"\"") == line.npos &&
                           line.find("'''") == line.npos);
    ignored.clear();
    out.push_back(plain ? SyntaxState{0} : scanLine(language, line, out.back(), ignored));
    begin = end + 1;
  }
  return out;
}

} // namespace lanescope::viz
