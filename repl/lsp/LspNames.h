// Finds the places where names are bound and used. Editors go to a name's definition with them, and find or rename its
// uses.
//
//   Names names = namesOf(*snippet);
//   const NameUse *use = names.at(120);            the `tile` of `load(tile)`
//   names.definition(*use)                         its parameter in `def k(x, tile)`
//
// Scopes are those of Python: functions, lambdas and comprehensions have separate scopes, and a class's names are not
// visible in its methods.
#pragma once

#include "repl/lsp/Snippet.h"

namespace lanescope::repl::lsp {

/// The kind of thing that a name is bound to.
enum class NameKind : uint8_t { Variable, Parameter, Function, Class };

struct NameUse {
  TextRange range;
  std::string name;
  size_t scope = 0; // the scope in which the lookup starts
  bool binds = false;
  NameKind kind = NameKind::Variable; // has a meaning only if `binds`
};

class Names {
public:
  /// The use that contains `offset` or ends there; null: none.
  const NameUse *at(uint32_t offset) const;
  /// The binding that a use refers to. In the scope that binds the name, it is the last binding before the use, or else
  /// the first binding. Null: the text does not bind the name.
  const NameUse *definition(const NameUse &use) const;
  /// All uses of the same variable, in order; empty if the text does not bind it.
  std::vector<const NameUse *> sameVariable(const NameUse &use) const;
  const std::vector<NameUse> &uses() const { return uses_; }
  /// True if a call passes a keyword argument of this name.
  bool isKeyword(std::string_view name) const { return keywords_.contains(name); }

private:
  friend class NameWalk;
  friend Names namesOf(const Snippet &snippet);
  struct NameScope {
    size_t parent = 0;
    bool isClass = false;
    std::set<std::string, std::less<>> bound = {}, outer = {};
  };
  /// The scope that binds the name, as seen from `scope`; nothing if no scope does.
  std::optional<size_t> binder(std::string_view name, size_t scope) const;

  std::vector<NameScope> scopes_ = {NameScope{}};
  std::vector<NameUse> uses_; // sorted by place
  std::set<std::string, std::less<>> keywords_;
};

Names namesOf(const Snippet &snippet);

} // namespace lanescope::repl::lsp
