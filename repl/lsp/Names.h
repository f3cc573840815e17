// Where names are bound and used: for going to definitions, for finding and renaming all of one.
//
//   Names names = namesOf(*snippet);
//   const NameUse *use = names.at(120);            the `tile` of `load(tile)`
//   names.definition(*use)                         its parameter in `def k(x, tile)`
//
// Scopes are Python's: functions, lambdas and comprehensions have names of their own, classes do not hand theirs to
// their methods.
#pragma once

#include "repl/lsp/Snippet.h"

namespace lanescope::repl::lsp {

/// What a binding makes of its name.
enum class NameKind : uint8_t { Variable, Parameter, Function, Class };

struct NameUse {
  TextRange range;
  std::string name;
  size_t scope = 0; // in which it is looked for
  bool binds = false;
  NameKind kind = NameKind::Variable; // of a binding
};

class Names {
public:
  /// The use whose characters, or whose end, `offset` is; null when there is none.
  const NameUse *at(uint32_t offset) const;
  /// The binding that a use goes back to: in the scope that it is found in the last one before the use, else the first.
  /// Null: the text does not bind it.
  const NameUse *definition(const NameUse &use) const;
  /// All uses of the same variable, in order; none where the text does not bind it.
  std::vector<const NameUse *> sameVariable(const NameUse &use) const;
  const std::vector<NameUse> &uses() const { return uses_; }
  /// Whether some call gives an argument by this name.
  bool isKeyword(std::string_view name) const { return keywords_.contains(name); }

private:
  friend class NameWalk;
  friend Names namesOf(const Snippet &snippet);
  struct NameScope {
    size_t parent = 0;
    bool isClass = false;
    std::set<std::string, std::less<>> bound = {}, outer = {};
  };
  /// The scope that binds the name, seen from `scope`; nothing when none does.
  std::optional<size_t> binder(std::string_view name, size_t scope) const;

  std::vector<NameScope> scopes_ = {NameScope{}};
  std::vector<NameUse> uses_; // by place
  std::set<std::string, std::less<>> keywords_;
};

Names namesOf(const Snippet &snippet);

} // namespace lanescope::repl::lsp
