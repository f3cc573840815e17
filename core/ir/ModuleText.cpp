#include "core/ir/ModuleText.h"

#include "core/ir/ModuleLexer.h"

#include "layouts/support/Text.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/ConvertUTF.h"

#include <algorithm>
#include <array>

namespace lanescope::core {
namespace {

class TextCheck {
public:
  explicit TextCheck(const SourceRef &source) : source_(source), text_(source->text()) {}

  Result<void> run() {
    if (auto valid = checkUtf8(); !valid)
      return valid;
    while (at_ < text_.size())
      if (auto fine = step(); !fine)
        return fine;
    return {};
  }

private:
  /// The cost of replacing an alias by its text.
  struct Expansion {
    uint64_t bytes = 0;
    int depth = 0;
  };

  std::unexpected<Diagnostics> fail(size_t begin, size_t end, Message message) {
    return error("ir", {source_, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)}, std::move(message));
  }

  Result<void> checkUtf8() {
    const auto *begin = reinterpret_cast<const llvm::UTF8 *>(text_.data());
    const llvm::UTF8 *at = begin;
    if (llvm::isLegalUTF8String(&at, begin + text_.size()))
      return {};
    auto offset = static_cast<size_t>(at - begin);
    return fail(offset, offset + 1, "the text is not valid UTF-8 here; a module in MLIR's text form is expected");
  }

  Result<void> step() {
    char c = text_[at_];
    if (c == '"') {
      at_ = pastString(text_, at_);
    } else if (text_.substr(at_, 2) == "//") {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (isDigit(c)) {
      return number();
    } else if (c == '#' || c == '!') {
      return aliasOrAttribute();
    } else if (c == 'a' && (at_ == 0 || !isModuleNameByte(text_[at_ - 1])) && atAffine()) {
      return affine();
    } else if (text_.substr(at_, 2) == "->" || text_.substr(at_, 2) == ">=" || text_.substr(at_, 2) == "<=") {
      at_ += 2;
    } else {
      return bracket(c);
    }
    return {};
  }

  static bool isDigit(char c) { return c >= '0' && c <= '9'; }

  /// Checks a number's length. MLIR and LLVM take time that grows with the square of the number of digits, and one of
  /// their parsers recurses.
  Result<void> number() {
    size_t begin = at_;
    if (text_.substr(at_, 2) == "0x")
      for (at_ += 2; at_ < text_.size() && llvm::isHexDigit(text_[at_]);)
        ++at_;
    else
      while (at_ < text_.size() && isDigit(text_[at_]))
        ++at_;
    if (at_ - begin > kLongestNumber)
      return fail(begin, begin + kLongestNumber, Message("this number has more than {} digits", kLongestNumber));
    return {};
  }

  Result<void> bracket(char c) {
    constexpr std::string_view kOpen = "([{<", kClose = ")]}>";
    if (size_t kind = kOpen.find(c); kind != std::string_view::npos) {
      ++open_[kind];
      if (auto fine = reach(depth(), at_, at_ + 1); !fine)
        return fine;
    } else if (size_t closed = kClose.find(c); closed != std::string_view::npos) {
      open_[closed] = std::max(open_[closed] - 1, 0);
    }
    ++at_;
    return {};
  }

  int depth() const { return open_[0] + open_[1] + open_[2] + open_[3]; }

  Result<void> reach(int depth, size_t begin, size_t end) {
    if (depth > kDeepestModuleText)
      return fail(begin, end, Message("the nesting is deeper than {limit} levels here", kDeepestModuleText));
    current_.depth = std::max(current_.depth, depth);
    return {};
  }

  /// Reads `#name = …`, which defines an alias, or `#name`, which uses one if there is an alias of that name.
  Result<void> aliasOrAttribute() {
    size_t begin = at_++;
    while (at_ < text_.size() && isModuleNameByte(text_[at_]))
      ++at_;
    std::string_view name = text_.substr(begin, at_ - begin);
    size_t next = pastSpace(text_, at_);
    if (depth() == 0 && next < text_.size() && text_[next] == '=' && text_.substr(next, 2) != "==") {
      finishAlias(begin);
      alias_ = name;
      current_ = {};
      currentBegin_ = begin;
      return {};
    }
    auto known = aliases_.find(name);
    if (known == aliases_.end())
      return {};
    current_.bytes += known->second.bytes;
    if (current_.bytes > kLargestModuleText)
      return fail(
          begin, at_,
          Message("with its aliases written out, the module takes more than {} MiB here", kLargestModuleText >> 20));
    return reach(depth() + 1 + known->second.depth, begin, at_);
  }

  /// The text after the last alias counts as a part of that alias, so the limits hold for the whole module.
  void finishAlias(size_t end) {
    if (!alias_.empty())
      aliases_[alias_] = {current_.bytes + (end - currentBegin_), current_.depth};
  }

  bool atAffine() const {
    std::string_view word = text_.substr(at_, 10);
    return word == "affine_map" || word == "affine_set";
  }

  Result<void> affine() {
    size_t begin = at_;
    at_ += 10;
    size_t open = pastSpace(text_, at_);
    if (open >= text_.size() || text_[open] != '<')
      return {};
    size_t last = std::min<size_t>(open + kLongestAffineMap, text_.size());
    int level = 0;
    for (size_t i = open; i < last; ++i) {
      bool arrow = text_[i] == '>' && i > 0 && text_[i - 1] == '-';
      bool orEqual = i + 1 < last && text_[i + 1] == '=' && (text_[i] == '<' || text_[i] == '>');
      if (arrow || orEqual)
        continue;
      level += text_[i] == '<' ? 1 : text_[i] == '>' ? -1 : 0;
      if (level == 0)
        return {};
    }
    if (last == text_.size())
      return {}; // the text is cut off, but short enough for MLIR to report this
    return fail(begin, begin + 10, Message("this affine map is longer than {bytes} bytes", kLongestAffineMap));
  }

  const SourceRef &source_;
  std::string_view text_;
  size_t at_ = 0;
  std::array<int, 4> open_{};
  llvm::StringMap<Expansion> aliases_;
  std::string_view alias_; // the alias that is being defined
  Expansion current_;
  size_t currentBegin_ = 0;
};

} // namespace

Result<void> checkModuleText(const SourceRef &source) { return TextCheck(source).run(); }

} // namespace lanescope::core
