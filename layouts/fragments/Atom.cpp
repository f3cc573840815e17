#include "layouts/fragments/Atom.h"

#include "layouts/fragments/AtomFamilies.h"
#include "layouts/support/Text.h"

#include <cassert>

namespace lanescope::layouts {

namespace {

constexpr std::string_view kInstructions =
    "mma mma.sp wgmma wgmma.sp tcgen05.ld tcgen05.st tcgen05.mma tcgen05.mma.sp ldmatrix stmatrix";

} // namespace

const Operand *Atom::find(std::string_view operand) const {
  for (const Operand &candidate : operands)
    if (candidate.name == operand)
      return &candidate;
  return nullptr;
}

Result<const Operand *> Atom::operand(std::string_view name) const {
  if (const Operand *found = find(name))
    return found;
  std::vector<std::string> names;
  for (const Operand &candidate : operands)
    names.push_back(candidate.name);
  return error("operand",
               Message("`{name}` has no operand `{operand}`; it has {}", this->name, name, alternatives(names)));
}

Result<Atom> parseAtom(std::string_view name, Span span) {
  Mnemonic in(name, std::move(span));
  Atom atom;
  std::string_view known;
  if (in.failed()) {
    // A text that is too long for a name: finish() reports it.
  } else if (in.begin("mma")) {
    atom = families::readMma(in);
    known = families::kMmaWords;
  } else if (in.begin("wgmma")) {
    atom = families::readWgmma(in);
    known = families::kWgmmaWords;
  } else if (in.begin("ldmatrix") || in.begin("stmatrix")) {
    atom = families::readMatrixTransfer(in, name.starts_with("ldmatrix"));
    known = families::kMatrixTransferWords;
  } else if (in.begin("tcgen05")) {
    std::string_view which = in.eatOneOf("ld st mma");
    if (which == "mma")
      atom = families::readTmemMma(in);
    else if (!which.empty())
      atom = families::readTmemTransfer(in, which == "ld");
    else
      in.fail({}, Message("expected {}", alternatives("tcgen05.ld tcgen05.st tcgen05.mma")));
    known = which == "mma" ? families::kTmemMmaWords : families::kTmemTransferWords;
  } else {
    std::string_view first = name.substr(0, name.find('.'));
    std::string_view near = nearest(first, words(kInstructions));
    in.fail(first, Message("`{}` is no instruction with fragments; {}", first,
                           near.empty() ? text("there is ", alternatives(kInstructions))
                                        : text("did you mean `", near, "`?")));
  }
  if (Diagnostics problems = in.finish(known); !problems.empty())
    return std::unexpected(std::move(problems));
  return atom;
}

const std::vector<Atom> &atoms() {
  static const std::vector<Atom> all = [] {
    std::vector<Atom> out;
    for (const auto &names :
         {families::mmaNames(), families::wgmmaNames(), families::tmemNames(), families::matrixNames()})
      for (const std::string &name : names) {
        Result<Atom> atom = parseAtom(name);
        assert(atom && "the names are made from the tables that parseAtom reads");
        out.push_back(*std::move(atom));
      }
    return out;
  }();
  return all;
}

} // namespace lanescope::layouts
