// The places where names are bound and used, for going to a definition and for finding or renaming all uses of a name.
//
//   Names names = namesOf(*snippet);
//   const NameUse *use = names.at(120);            the `tile` of `load(tile)`
//   names.definition(*use)                         its parameter in `def k(x, tile)`
//
// Scopes are Python's: functions, lambdas and comprehensions have scopes of their own, and a class's names are not
// visible in its methods.
#pragma once

#include "repl/lsp/Snippet.h"

namespace lanescope::repl::lsp {

/// The kind of thing that a binding binds its name to.
enum class NameKind : uint8_t { Variable, Parameter, Function, Class };

struct NameUse {
  TextRange range;
  std::string name;
  size_t scope = 0; // the scope in which the lookup starts
  bool binds = false;
  NameKind kind = NameKind::Variable; // meaningful if `binds`
};

class Names {
public:
  /// The use that contains `offset` or ends there; null: none.
  const NameUse *at(uint32_t offset) const;
  /// The binding that a use refers to: in the scope that binds the name, the last binding before the use, else the
  /// first one. Null: the text does not bind it.
  const NameUse *definition(const NameUse &use) const;
  /// All uses of the same variable, in order; empty if the text does not bind it.
  std::vector<const NameUse *> sameVariable(const NameUse &use) const;
  const std::vector<NameUse> &uses() const { return uses_; }
  /// True if some call passes a keyword argument of this name.
  bool isKeyword(std::string_view name) const { return keywords_.contains(name); }

private:
  friend class NameWalk;
  friend Names namesOf(const Snippet &snippet);
  struct NameScope {
    size_t parent = 0;
    bool isClass = false;
    std::set<std::string, std::less<>> bound = {}, outer = {};
  };
  /// The scope that binds the name, seen from `scope`; nothing if none does.
  std::optional<size_t> binder(std::string_view name, size_t scope) const;

  std::vector<NameScope> scopes_ = {NameScope{}};
  std::vector<NameUse> uses_; // sorted by place
  std::set<std::string, std::less<>> keywords_;
};

Names namesOf(const Snippet &snippet);

} // namespace lanescope::repl::lsp
