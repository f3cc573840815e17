#include "repl/lang/syntax/Lexer.h"

#include "layouts/support/DiagnosticKind.h"
#include "layouts/support/Text.h"
#include "layouts/support/Utf8.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace lanescope::repl {
namespace {

constexpr std::array kKeywords = {"False",  "None",   "True",    "and",      "as",       "assert", "async",
                                  "await",  "break",  "class",   "continue", "def",      "del",    "elif",
                                  "else",   "except", "finally", "for",      "from",     "global", "if",
                                  "import", "in",     "is",      "lambda",   "nonlocal", "not",    "or",
                                  "pass",   "raise",  "return",  "try",      "while",    "with",   "yield"};

// Longer operators come first.
constexpr std::array<std::string_view, 49> kOperators = {
    "...", "**=", "//=", "<<=", ">>=", "!=", "==", "<=", ">=", "->", ":=", "+=", "-=", "*=", "/=", "%=", "@=",
    "&=",  "|=",  "^=",  "**",  "//",  "<<", ">>", "+",  "-",  "*",  "/",  "%",  "@",  "&",  "|",  "^",  "~",
    "<",   ">",   "=",   "(",   ")",   "[",  "]",  "{",  "}",  ",",  ":",  ".",  ";",  "!",  "$"};

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isAsciiLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/// Letters of the Latin, Greek and Cyrillic blocks may stand in names, as in Python.
bool isLetter(char32_t code) {
  return (code >= 0xC0 && code <= 0x24F && code != 0xD7 && code != 0xF7) ||
         (code >= 0x370 && code <= 0x52F && code != 0x37E && code != 0x387);
}

class Lexer {
public:
  Lexer(const SourceRef &source, TextRange range, bool expressionOnly)
      : source_(source), text_(std::string_view(source->text()).substr(0, range.end)), at_(range.begin),
        expressionOnly_(expressionOnly) {}

  Lexed run() {
    if (source_->text().size() > kMaxSourceBytes) {
      report(
          "too-large", 0, 0,
          Message("the snippet has {bytes} bytes; at most {limit} are taken", source_->text().size(), kMaxSourceBytes));
      finish();
      return std::move(out_);
    }
    if (!expressionOnly_ && !checkUtf8()) {
      finish();
      return std::move(out_);
    }
    if (!expressionOnly_) {
      if (text_.starts_with("\xEF\xBB\xBF")) // a byte order mark
        at_ = 3;
      startLine();
    }
    while (at_ < text_.size())
      next();
    if (!brackets_.empty()) {
      out_.openAtEnd = true;
      const Bracket &open = brackets_.back();
      report("unclosed-bracket", open.at, open.at + 1, Message("`{bracket}` is never closed", open.kind));
    }
    finish();
    return std::move(out_);
  }

private:
  /// The meaning of the letters before a string's quotes.
  struct StringPrefix {
    bool raw = false, formatted = false;
  };
  struct Bracket {
    char kind;
    uint32_t at;
  };

  void report(DiagnosticKind kind, size_t begin, size_t end, Message message, std::vector<Note> notes = {}) {
    if (out_.diagnostics.size() < 50)
      out_.diagnostics.push_back(
          diagnosed(Severity::Error, kind, span(begin, end), std::move(message), std::move(notes)));
  }
  Span span(size_t begin, size_t end) const {
    return {source_, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
  }
  char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  Token &push(TokenKind kind, size_t begin, size_t end) {
    Token token;
    token.kind = kind;
    token.range = {static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
    token.text = std::string(text_.substr(begin, end - begin));
    out_.tokens.push_back(std::move(token));
    return out_.tokens.back();
  }

  bool checkUtf8() {
    for (size_t i = at_; i < text_.size();) {
      size_t length = characterLength(text_.substr(i));
      if (length == 0) {
        report("invalid-utf8", i, i + 1,
               Message("byte {offset} is not valid UTF-8 (value {byte})", i,
                       static_cast<unsigned>(static_cast<unsigned char>(text_[i]))));
        return false;
      }
      i += length;
    }
    return true;
  }

  /// Reads the indentation of a logical line and emits Indent and Dedent. Skips blank lines.
  void startLine() {
    while (at_ < text_.size()) {
      size_t begin = at_;
      int column = 0, narrow = 0; // `column`: a tab goes to the next multiple of 8; `narrow`: a tab counts as one blank
      for (;; ++at_) {
        if (peek() == ' ')
          ++column, ++narrow;
        else if (peek() == '\t')
          column = (column / 8 + 1) * 8, ++narrow;
        else if (peek() == '\f')
          column = narrow = 0;
        else
          break;
      }
      if (at_ >= text_.size())
        return;
      if (peek() == '#')
        skipComment();
      if (peek() == '\r' && peek(1) == '\n')
        ++at_;
      if (peek() == '\n' || peek() == '\r') {
        ++at_;
        continue;
      }
      if (at_ >= text_.size())
        return;
      indentTo(column, narrow, begin);
      return;
    }
  }

  void indentTo(int column, int narrow, size_t begin) {
    const auto [top, topNarrow] = indents_.back();
    if ((column == top) != (narrow == topNarrow) || (column > top) != (narrow > topNarrow))
      report("indentation", begin, at_, "the indentation mixes tabs and blanks so that its depth is unclear");
    if (column > top) {
      if (indents_.size() > kMaxNesting) {
        report("nesting", begin, at_, Message("blocks nest more than {limit} deep", kMaxNesting));
        at_ = text_.size();
        return;
      }
      indents_.push_back({column, narrow});
      push(TokenKind::Indent, begin, at_);
      return;
    }
    while (column < indents_.back().first) {
      indents_.pop_back();
      push(TokenKind::Dedent, at_, at_);
    }
    if (column != indents_.back().first)
      report("indentation", begin, at_, "this line's indentation matches no block above it");
  }

  void skipComment() {
    while (at_ < text_.size() && text_[at_] != '\n' && text_[at_] != '\r')
      ++at_;
  }

  void finish() {
    if (!expressionOnly_) {
      if (!out_.tokens.empty() && out_.tokens.back().kind != TokenKind::Newline &&
          out_.tokens.back().kind != TokenKind::Dedent)
        push(TokenKind::Newline, text_.size(), text_.size());
      for (; indents_.size() > 1; indents_.pop_back())
        push(TokenKind::Dedent, text_.size(), text_.size());
    }
    push(TokenKind::End, text_.size(), text_.size());
  }

  void next() {
    char c = peek();
    if (c == ' ' || c == '\t' || c == '\f') {
      ++at_;
    } else if (c == '#') {
      skipComment();
    } else if (c == '\n' || c == '\r') {
      size_t begin = at_;
      at_ += c == '\r' && peek(1) == '\n' ? 2 : 1;
      if (brackets_.empty() && !expressionOnly_) {
        push(TokenKind::Newline, begin, at_);
        startLine();
      }
    } else if (c == '\\') {
      continueLine();
    } else if (isDigit(c) || (c == '.' && isDigit(peek(1)))) {
      number();
    } else if (c == '"' || c == '\'') {
      string(at_, {});
    } else if (isAsciiLetter(c) || static_cast<unsigned char>(c) >= 0x80) {
      word();
    } else {
      symbol();
    }
  }

  void continueLine() {
    size_t begin = at_++;
    if (peek() == '\r')
      ++at_;
    if (peek() == '\n') {
      ++at_;
      if (at_ >= text_.size())
        out_.openAtEnd = true;
      return;
    }
    if (at_ >= text_.size())
      out_.openAtEnd = true;
    report("unexpected-character", begin, begin + 1,
           "a `\\` outside a string continues a line, so nothing may follow it");
  }

  void word() {
    size_t begin = at_;
    while (at_ < text_.size()) {
      if (isAsciiLetter(peek()) || isDigit(peek())) {
        ++at_;
        continue;
      }
      char32_t code = 0;
      size_t length = characterLength(text_.substr(at_), &code);
      if (length < 2 || !isLetter(code))
        break;
      at_ += length;
    }
    if (at_ == begin) { // the character begins no token
      char32_t code = 0;
      at_ += std::max<size_t>(characterLength(text_.substr(at_), &code), 1);
      std::string mend = code == 0x201C || code == 0x201D || code == 0x2018 || code == 0x2019
                             ? "; strings are quoted with `\"` or `'`"
                         : code == 0x2212 || code == 0x2013 ? "; minus is `-`"
                         : code == 0xD7                     ? "; times is `*`"
                         : code == 0xA0                     ? "; it is a no-break space"
                                                            : "";
      report("unexpected-character", begin, at_,
             Message("unexpected character `{character}`{}", text_.substr(begin, at_ - begin), mend));
      return;
    }
    std::string_view word = text_.substr(begin, at_ - begin);
    if ((peek() == '"' || peek() == '\'') && word.size() <= 2) {
      StringPrefix prefix;
      bool bytes = false, known = true;
      for (char c : word) {
        char lower = static_cast<char>(c | 0x20);
        prefix.raw |= lower == 'r';
        prefix.formatted |= lower == 'f';
        bytes |= lower == 'b';
        known &= lower == 'r' || lower == 'f' || lower == 'b' || lower == 'u';
      }
      if (known) {
        if (bytes)
          report("unsupported", begin, at_, "there are no bytes literals here; use a str");
        string(begin, prefix);
        return;
      }
    }
    push(isKeyword(word) ? TokenKind::Keyword : TokenKind::Name, begin, at_);
  }

  void string(size_t begin, StringPrefix prefix) {
    char quote = peek();
    bool triple = peek(1) == quote && peek(2) == quote;
    at_ += triple ? 3 : 1;
    size_t body = at_;
    for (;; ++at_) {
      if (at_ >= text_.size() || (!triple && (peek() == '\n' || peek() == '\r'))) {
        if (triple)
          out_.openAtEnd = true;
        report("unterminated-string", begin, std::min(begin + (triple ? 3 : 1), text_.size()),
               triple ? "this triple-quoted string is never closed"
                      : Message("this string is not closed with `{}` on its line", quote));
        Token &token = push(TokenKind::Str, begin, at_);
        token.text.clear();
        return;
      }
      if (peek() == '\\') {
        ++at_;
        if (peek() == '\r' && peek(1) == '\n')
          ++at_;
        if (at_ >= text_.size())
          --at_;
        continue;
      }
      if (peek() == quote && (!triple || (peek(1) == quote && peek(2) == quote)))
        break;
    }
    size_t bodyEnd = at_;
    at_ += triple ? 3 : 1;
    Token &token = push(prefix.formatted ? TokenKind::FormattedStr : TokenKind::Str, begin, at_);
    token.bodyBegin = static_cast<uint32_t>(body);
    token.bodyEnd = static_cast<uint32_t>(bodyEnd);
    token.raw = prefix.raw;
    if (prefix.formatted)
      return;
    if (prefix.raw) {
      token.text = std::string(text_.substr(body, bodyEnd - body));
      return;
    }
    std::vector<EscapeProblem> problems;
    token.text = unescape(text_.substr(body, bodyEnd - body), problems);
    for (EscapeProblem &problem : problems)
      report("bad-escape", body + problem.offset, body + problem.offset + 2, std::move(problem.message));
  }

  void number() {
    size_t begin = at_;
    char marker = static_cast<char>(peek(1) | 0x20);
    if (peek() == '0' && (marker == 'x' || marker == 'o' || marker == 'b')) {
      int base = marker == 'x' ? 16 : marker == 'o' ? 8 : 2;
      at_ += 2;
      std::string digits = takeDigits([&](char c) { return isDigit(c) || isAsciiLetter(c); });
      integer(begin, digits, base);
      return;
    }
    std::string digits = takeDigits(isDigit);
    bool isFloat = false;
    if (peek() == '.') {
      isFloat = true;
      digits += '.';
      ++at_;
      digits += takeDigits(isDigit);
    }
    if ((peek() | 0x20) == 'e' && (isDigit(peek(1)) || ((peek(1) == '+' || peek(1) == '-') && isDigit(peek(2))))) {
      isFloat = true;
      digits += 'e';
      ++at_;
      if (!isDigit(peek()))
        digits += text_[at_++];
      digits += takeDigits(isDigit);
    }
    if (isAsciiLetter(peek())) {
      size_t tail = at_;
      while (isAsciiLetter(peek()) || isDigit(peek()))
        ++at_;
      std::string_view suffix = text_.substr(tail, at_ - tail);
      // `1if x else y` is two tokens in Python; any other text directly after a number is a typing error.
      if (isKeyword(suffix)) {
        at_ = tail;
      } else {
        report("bad-number", begin, at_,
               suffix == "j" || suffix == "J" ? "there are no complex numbers here"
                                              : Message("`{}` is not a number, and a name cannot start with a digit",
                                                        text_.substr(begin, at_ - begin)));
        push(TokenKind::Int, begin, at_);
        return;
      }
    }
    if (!isFloat) {
      if (digits.size() > 1 && digits[0] == '0' && digits.find_first_not_of('0') != std::string::npos) {
        report("bad-number", begin, at_, "a decimal integer cannot start with `0`; octal is written `0o17`");
        push(TokenKind::Int, begin, at_);
        return;
      }
      integer(begin, digits, 10);
      return;
    }
    Token &token = push(TokenKind::Float, begin, at_);
    token.number = std::strtod(digits.c_str(), nullptr);
    if (std::isinf(token.number))
      report("bad-number", begin, at_, "this float is larger than the largest f64 (about 1.8e308)");
  }

  template <typename Accept> std::string takeDigits(Accept accept) {
    std::string digits;
    while (accept(peek()) || (peek() == '_' && accept(peek(1)))) {
      if (peek() != '_')
        digits += peek();
      ++at_;
    }
    return digits;
  }

  void integer(size_t begin, const std::string &digits, int base) {
    Token &token = push(TokenKind::Int, begin, at_);
    uint64_t value = 0;
    auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (digits.empty() || problem == std::errc::invalid_argument ||
        (problem == std::errc() && end != digits.data() + digits.size()))
      report("bad-number", begin, at_,
             Message("`{number}` is not an integer of base {base}",
                     text_.substr(begin, std::min<size_t>(at_ - begin, 40)), base));
    else if (problem != std::errc() || value > static_cast<uint64_t>(INT64_MAX))
      report("integer-overflow", begin, at_,
             Message("this integer of {digits} digits does not fit in 64 bits; write a float, as `1e20`, if a rounded "
                     "value will do",
                     digits.size()));
    else
      token.integer = static_cast<int64_t>(value);
  }

  void symbol() {
    for (std::string_view op : kOperators) {
      if (!text_.substr(at_).starts_with(op))
        continue;
      size_t begin = at_;
      at_ += op.size();
      char c = op[0];
      if (op == "$" || op == "!") {
        report("unexpected-character", begin, at_,
               op == "!" ? "unexpected `!`; negation is `not`, inequality `!=`" : "unexpected character `$`");
        return;
      }
      if (c == '(' || c == '[' || c == '{') {
        if (brackets_.size() >= kMaxNesting) {
          report("nesting", begin, at_, Message("brackets nest more than {limit} deep", kMaxNesting));
          brackets_.clear();
          at_ = text_.size();
          return;
        }
        brackets_.push_back({c, static_cast<uint32_t>(begin)});
      } else if (c == ')' || c == ']' || c == '}') {
        char opening = c == ')' ? '(' : c == ']' ? '[' : '{';
        if (brackets_.empty()) {
          report("unmatched-bracket", begin, at_, Message("`{bracket}` closes nothing", op));
          return;
        }
        if (brackets_.back().kind != opening)
          report("unmatched-bracket", begin, at_,
                 Message("`{bracket}` does not close `{opened}`", op, brackets_.back().kind),
                 {{span(brackets_.back().at, brackets_.back().at + 1),
                   text("`", brackets_.back().kind, "` is opened here")}});
        brackets_.pop_back();
      }
      push(TokenKind::Operator, begin, at_);
      return;
    }
    report("unexpected-character", at_, at_ + 1,
           peek() == '?' ? "unexpected `?`; help on a name is `help(name)`"
           : static_cast<unsigned char>(peek()) < 0x20 || peek() == 0x7F
               ? Message("unexpected control character of value {}", static_cast<int>(peek()))
               : Message("unexpected character `{}`", peek()));
    ++at_;
  }

  const SourceRef &source_;
  std::string_view text_;
  size_t at_;
  bool expressionOnly_;
  std::vector<std::pair<int, int>> indents_ = {{0, 0}};
  std::vector<Bracket> brackets_;
  Lexed out_;
};

} // namespace

std::string unescape(std::string_view body, std::vector<EscapeProblem> &problems) {
  std::string out;
  out.reserve(body.size());
  for (size_t i = 0; i < body.size(); ++i) {
    if (body[i] != '\\' || i + 1 >= body.size()) {
      out += body[i];
      continue;
    }
    size_t start = i;
    char c = body[++i];
    constexpr std::string_view kFrom = "abfnrtv\\'\"", kTo = "\a\b\f\n\r\t\v\\'\"";
    if (size_t known = kFrom.find(c); known != std::string_view::npos) {
      out += kTo[known];
    } else if (c == '\n') {
    } else if (c == '\r') {
      i += i + 1 < body.size() && body[i + 1] == '\n';
    } else if (c >= '0' && c <= '7') {
      uint32_t code = 0;
      size_t digits = 0;
      for (; digits < 3 && i < body.size() && body[i] >= '0' && body[i] <= '7'; ++digits, ++i)
        code = code * 8 + static_cast<uint32_t>(body[i] - '0');
      --i;
      appendCharacter(out, code);
    } else if (c == 'x' || c == 'u' || c == 'U') {
      size_t want = c == 'x' ? 2 : c == 'u' ? 4 : 8;
      uint32_t code = 0;
      std::string_view digits = body.substr(i + 1, want);
      auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
      if (digits.size() != want || problem != std::errc() || end != digits.data() + want || code > 0x10FFFF ||
          (code >= 0xD800 && code < 0xE000)) {
        problems.push_back({start, text("`\\", c, "` needs ", want, " hexadecimal digits of a character's number")});
        continue;
      }
      appendCharacter(out, code);
      i += want;
    } else {
      out += '\\'; // Python keeps unknown escapes
      out += c;
    }
  }
  return out;
}

Lexed lex(const SourceRef &source) {
  return Lexer(source, {0, static_cast<uint32_t>(source->text().size())}, false).run();
}
Lexed lexExpression(const SourceRef &source, TextRange range) { return Lexer(source, range, true).run(); }

bool isKeyword(std::string_view word) { return std::ranges::find(kKeywords, word) != kKeywords.end(); }

const std::vector<std::string> &languageKeywords() {
  static const std::vector<std::string> kWords = {
      "False",  "None",     "True", "and",  "as",   "assert", "break", "class", "continue",
      "def",    "del",      "elif", "else", "for",  "global", "if",    "in",    "is",
      "lambda", "nonlocal", "not",  "or",   "pass", "return", "while", "with"};
  return kWords;
}

} // namespace lanescope::repl
