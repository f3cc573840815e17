// Shared by the tests of instruction fragments.
#pragma once

#include "layouts/ElementMap.h"
#include "layouts/fragments/FragmentLayout.h"
#include "layouts/TmemMap.h"

#include <gtest/gtest.h>

namespace lanescope::layouts {

inline Atom atomNamed(std::string_view name) {
  Result<Atom> atom = parseAtom(name);
  EXPECT_TRUE(atom) << name << ": " << (atom ? "" : atom.error().front().message);
  return atom ? *atom : Atom{};
}
inline ElementMap mapOf(std::string_view name, std::string_view operand) {
  Result<Foreign> layout = fragment(name, operand);
  EXPECT_TRUE(layout) << name << ' ' << operand << ": " << (layout ? "" : layout.error().front().message);
  return *(*layout)->elementMap(*(*layout)->shape());
}
inline TmemMap cellsOf(std::string_view name, std::string_view operand) {
  Result<Foreign> layout = fragment(name, operand);
  EXPECT_TRUE(layout) << name << ' ' << operand << ": " << (layout ? "" : layout.error().front().message);
  return *(*layout)->tmemMap(*(*layout)->shape(), *(*layout)->bitwidth());
}

} // namespace lanescope::layouts
