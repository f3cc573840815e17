#include "core/gpu/inference/Explanation.h"

#include "layouts/cost/Relayout.h"
#include "layouts/cost/RelayoutTable.h"
#include "layouts/cost/TmemTransfer.h"
#include "layouts/support/Text.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

namespace lanescope::core {

using namespace mlir;
using constraints::Constant;
using constraints::Constraint;
using constraints::Expression;
using constraints::SearchResult;
using constraints::System;
using constraints::Target;
using constraints::Variable;

System completed(const System &system) {
  System out = system;
  saturateNotSplat(out);
  equateStrictRelayouts(out);
  saturateDivides(out);
  return out;
}

namespace {

//===--- words ---===//

std::string inWords(const Constant &constant) {
  if (const auto *layout = constant.registers())
    return layouts::quoted(*layout);
  if (const auto *layout = constant.tensor())
    return layouts::quoted(*layout);
  const SmemTransforms &transforms = *constant.shared();
  if (!transforms.tiling && !transforms.swizzle)
    return "without transforms";
  return text("`", jaxText(transforms), "`");
}

std::string nameOf(const LayoutSite &site) {
  if (site.use)
    return text("operand ", site.use->getOperandNumber());
  if (auto argument = dyn_cast<BlockArgument>(site.value))
    return text("argument ", argument.getArgNumber());
  auto result = cast<OpResult>(site.value);
  return result.getOwner()->getNumResults() == 1 ? "its result" : text("result ", result.getResultNumber());
}

/// What an operation demands by a constraint; empty for what says nothing by itself.
std::string inWords(const Constraint &constraint) {
  struct Words {
    std::string operator()(const constraints::Equals &equals) const {
      for (const Expression *side : {&equals.lhs, &equals.rhs})
        if (!side->steps.empty()) {
          const constraints::Step &step = side->steps.front();
          return std::holds_alternative<constraints::Reduce>(step)      ? "one layout is the other one, reduced"
                 : std::holds_alternative<constraints::Reshape>(step)   ? "every element stays where it is in a reshape"
                 : std::holds_alternative<constraints::Transpose>(step) ? "one tile is the other one, transposed"
                                                                        : "tiles stay whole when dimensions are joined";
        }
      return "both have one layout";
    }
    std::string operator()(const constraints::Relayout &) const { return "there is such a conversion"; }
    std::string operator()(const constraints::NotOfType &each) const {
      return each.kind == constraints::LayoutKind::Splat     ? "elements differ"
             : each.kind == constraints::LayoutKind::Strided ? "the layout is not strided"
                                                             : "the layout is not tiled";
    }
    std::string operator()(const constraints::TmemTransfer &) const {
      return "an instruction moves it to or from tensor memory";
    }
    std::string operator()(const constraints::SmemTransfer &each) const {
      return each.kind == constraints::TransferKind::Unoptimized
                 ? "vectors of it are contiguous in shared memory"
                 : "it is moved to or from shared memory without bank conflicts";
    }
    std::string operator()(const constraints::Divides &each) const {
      return text("tiles divide ", layouts::tupleText(each.multiples));
    }
    std::string operator()(const constraints::MinorDimDivisibleBy &each) const {
      return text("tiles have a multiple of ", each.divisor, " columns");
    }
    std::string operator()(const constraints::ValidMmaTiling &) const {
      return "the tensor core reads tiles of eight rows and as many columns as the swizzle has";
    }
    std::string operator()(const constraints::SupportedBroadcast &) const { return "elements are repeated in place"; }
    std::string operator()(const constraints::OneOf &each) const {
      std::vector<std::string> allowed;
      for (const Constant &constant : each.allowed)
        allowed.push_back(inWords(constant));
      return text("it is one of ", joined(allowed, ", "));
    }
  };
  return std::visit(Words(), constraint);
}

//===--- the smallest contradiction ---===//

/// What is in or out of a trial system as one: all that an operation demands, or one hand-over of an array.
struct Element {
  Operation *op = nullptr;
  OpOperand *use = nullptr;
  SmallVector<size_t, 2> constraints, statements;
};

class Core {
public:
  Core(const Derivation &derivation, const Target &target) : derivation_(derivation), target_(target) {}

  Contradiction run() {
    Contradiction out;
    for (const Component &component : components()) {
      if (!contradicts(component.operations, component.edges))
        continue;
      std::vector<Element> core = smallest(component);
      for (const Element &element : core)
        out.demands.push_back({element.op, words(element)});
      // Where arrays enter or leave one of these operations a conversion may do.
      for (const Element &edge : component.edges) {
        Operation *producer = edge.use->get().getDefiningOp();
        if (out.casts.size() < kCasts &&
            llvm::any_of(core, [&](const Element &element) { return element.op == edge.op || element.op == producer; }))
          addCast(component, core, edge, out);
      }
      break;
    }
    return out;
  }

private:
  static constexpr int64_t kFuel = 2'000;      // of one trial
  static constexpr int64_t kAllFuel = 100'000; // of all of them
  static constexpr size_t kCasts = 4;

  /// Variables that have to do with each other.
  struct Component {
    std::vector<Element> operations, edges; // in program order
  };

  const System &system() const { return derivation_.system(); }

  static SmallVector<Variable, 2> variablesOf(const Constraint &constraint) {
    SmallVector<Variable, 2> out;
    auto [first, second] = constraints::sidesOf(constraint);
    for (const Expression *side : {first, second})
      if (side)
        if (const auto *variable = std::get_if<Variable>(&side->leaf))
          out.push_back(*variable);
    return out;
  }

  std::vector<Component> components() const {
    llvm::EquivalenceClasses<unsigned> sets;
    for (const Constraint &constraint : system().constraints) {
      auto variables = variablesOf(constraint);
      for (Variable variable : variables)
        sets.unionSets(variables.front().id, variable.id);
    }
    llvm::MapVector<unsigned, llvm::MapVector<std::pair<Operation *, OpOperand *>, Element>> found;
    auto element = [&](Variable variable, Operation *op, OpOperand *use) -> Element & {
      sets.insert(variable.id);
      Element &each = found[sets.getLeaderValue(variable.id)][{use ? nullptr : op, use}];
      each.op = op;
      each.use = use;
      return each;
    };
    for (auto [i, statement] : llvm::enumerate(derivation_.statements()))
      element(statement.variable, statement.op, nullptr).statements.push_back(i);
    for (auto [i, constraint] : llvm::enumerate(system().constraints))
      element(variablesOf(constraint).front(), derivation_.origin(i), derivation_.handedOn(i)).constraints.push_back(i);
    std::vector<Component> out;
    for (auto &[leader, elements] : found) {
      Component &component = out.emplace_back();
      for (auto &[key, each] : elements)
        (each.use ? component.edges : component.operations).push_back(std::move(each));
      for (std::vector<Element> *list : {&component.operations, &component.edges})
        llvm::stable_sort(*list, [&](const Element &a, const Element &b) {
          return derivation_.position(a.op) < derivation_.position(b.op);
        });
    }
    return out;
  }

  /// The system of some elements alone; nothing where two of them state different things. `loose`: a hand-over that may
  /// convert. `variables`: which ones of all the system's are.
  std::optional<System> systemOf(ArrayRef<Element> operations, ArrayRef<Element> edges, const OpOperand *loose,
                                 SmallVectorImpl<Variable> &variables) const {
    System out;
    llvm::DenseMap<unsigned, Variable> numbers;
    auto local = [&](Variable variable) {
      auto [found, isNew] = numbers.try_emplace(variable.id);
      if (isNew) {
        found->second = out.add(system().variables[variable.id]);
        variables.push_back(variable);
      }
      return found->second;
    };
    for (const Element &element : llvm::concat<const Element>(operations, edges)) {
      for (size_t i : element.constraints) {
        Constraint constraint = system().constraints[i];
        auto [first, second] = constraints::sidesOf(constraint);
        for (Expression *side : {first, second})
          if (side)
            if (auto *variable = std::get_if<Variable>(&side->leaf))
              *variable = local(*variable);
        if (auto *relayout = std::get_if<constraints::Relayout>(&constraint); relayout && element.use == loose && loose)
          relayout->strict = false;
        out.constraints.push_back(std::move(constraint));
      }
      for (size_t i : element.statements) {
        const Derivation::Statement &statement = derivation_.statements()[i];
        if (!out.assign(local(statement.variable), statement.value))
          return std::nullopt;
      }
    }
    return out;
  }

  /// What a search in the elements' system ends with; nothing where they contradict each other.
  std::optional<SearchResult> solve(ArrayRef<Element> operations, ArrayRef<Element> edges, const OpOperand *loose,
                                    SmallVectorImpl<Variable> &variables) {
    auto part = systemOf(operations, edges, loose, variables);
    if (!part)
      return std::nullopt;
    std::vector<Variable> unknowns;
    for (unsigned id = 0; id < part->variables.size(); ++id)
      unknowns.push_back({id});
    auto result = search(completed(*part), unknowns, target_, std::min(kFuel, kAllFuel - fuel_));
    if (!result)
      return SearchResult{SearchResult::Undecided}; // cannot be asked: no contradiction
    fuel_ += result->tried;
    // Where nothing was tried, nothing suggests a value: that is no contradiction.
    const bool refuted = result->conflict || result->tried > 0;
    if (result->kind == SearchResult::Unsatisfiable && refuted)
      return std::nullopt;
    return std::move(*result);
  }

  bool contradicts(ArrayRef<Element> operations, ArrayRef<Element> edges) {
    SmallVector<Variable> variables;
    return !solve(operations, edges, nullptr, variables);
  }

  /// Without operations that are not needed for the contradiction: halves of them, quarters, … single ones.
  std::vector<Element> smallest(const Component &component) {
    std::vector<Element> kept = component.operations;
    for (size_t part = std::max<size_t>(kept.size() / 2, 1);; part /= 2) {
      for (size_t at = 0; at < kept.size() && fuel_ < kAllFuel;) {
        std::vector<Element> rest(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(at));
        rest.insert(rest.end(), kept.begin() + static_cast<std::ptrdiff_t>(std::min(at + part, kept.size())),
                    kept.end());
        if (contradicts(rest, component.edges))
          kept = std::move(rest);
        else
          at += part;
      }
      if (part == 1)
        return kept;
    }
  }

  std::string words(const Element &element) const {
    std::vector<std::string> parts;
    auto add = [&](std::string part) {
      if (!llvm::is_contained(parts, part))
        parts.push_back(std::move(part));
    };
    for (size_t i : element.statements) {
      const Derivation::Statement &statement = derivation_.statements()[i];
      for (const LayoutSite &site : derivation_.sitesOf(statement.variable)) {
        Operation *owner = site.use ? site.use->getOwner() : site.value.getDefiningOp();
        if (owner != element.op)
          continue;
        add(text(nameOf(site), " is ", inWords(statement.value)));
        break;
      }
    }
    for (size_t i : element.constraints)
      if (!std::holds_alternative<constraints::Relayout>(system().constraints[i])) // a cast says what it gives
        add(inWords(system().constraints[i]));
    return joined(parts, "; ");
  }

  /// A conversion where an array is handed on, if there are layouts with it.
  void addCast(const Component &component, ArrayRef<Element> core, const Element &edge, Contradiction &out) {
    for (ArrayRef<Element> operations : {ArrayRef(component.operations), core}) {
      SmallVector<Variable> variables;
      auto solved = solve(operations, component.edges, edge.use, variables);
      if (!solved || solved->kind != SearchResult::Solved)
        continue;
      const auto &relayout = std::get<constraints::Relayout>(system().constraints[edge.constraints.front()]);
      auto valueOf = [&](const Expression &side) {
        return solved->assignments[static_cast<size_t>(llvm::find(variables, *side.variable()) - variables.begin())];
      };
      const Constant from = valueOf(relayout.source), to = valueOf(relayout.target);
      if (!from.registers() || !to.registers() || from == to)
        return;
      auto report = layouts::relayout(*from.registers(), *to.registers(),
                                      system().variables[relayout.source.variable()->id].shape, relayout.bitwidth);
      out.casts.push_back(
          {edge.use, *from.registers(), *to.registers(),
           report ? text(layouts::name(report->mechanism), ": ", report->counts.shuffles, " shuffles, ",
                         report->counts.prmt, " byte permutes, ", report->counts.selects, " selects per thread")
                  : "cost unknown"});
      return;
    }
  }

  const Derivation &derivation_;
  Target target_;
  int64_t fuel_ = 0; // used
};

/// Constraints of a completed system by what they come from: those of Divides move to the end, others follow them.
std::vector<size_t> originals(const System &system) {
  std::vector<size_t> out;
  for (size_t i = 0; i < system.constraints.size(); ++i) {
    const auto *divides = std::get_if<constraints::Divides>(&system.constraints[i]);
    if (!divides || !divides->expr.variable())
      out.push_back(i);
  }
  return out;
}

} // namespace

Contradiction explainContradiction(const Derivation &derivation, const Target &target) {
  return Core(derivation, target).run();
}

std::vector<LayoutStep> explainLayout(const Derivation &derivation, const SearchResult &solution,
                                      const LayoutSite &site) {
  std::vector<LayoutStep> out;
  auto variable = derivation.variableAt(site);
  if (!variable)
    return out;
  const std::vector<size_t> origin = originals(derivation.system());
  llvm::DenseSet<unsigned> seen;
  while (variable && seen.insert(variable->id).second) {
    const std::string value = inWords(solution.assignments[variable->id]);
    auto statement =
        llvm::find_if(derivation.statements(), [&](const auto &each) { return each.variable == *variable; });
    if (statement != derivation.statements().end()) {
      out.push_back({statement->op, text(value, ", as this operation says")});
      return out;
    }
    const int reason = solution.reasons[variable->id];
    const bool chosen = reason < 0;
    const int from = chosen ? solution.suggestions[variable->id] : reason;
    if (from < 0 || static_cast<size_t>(from) >= origin.size()) {
      out.push_back({nullptr, text(value, chosen ? ", by default: nothing else says what it is" : ", as follows")});
      return out;
    }
    const size_t constraint = origin[static_cast<size_t>(from)];
    Operation *op = derivation.origin(constraint);
    const bool handedOn = derivation.handedOn(constraint);
    out.push_back({op, text(value, chosen ? ", tried first for this operation: " : ", for ",
                            handedOn ? "what is handed on keeps its layout"
                                     : inWords(derivation.system().constraints[constraint]))});
    // On to the other side.
    std::optional<Variable> next;
    auto [first, second] = constraints::sidesOf(derivation.system().constraints[constraint]);
    for (const Expression *side : {first, second})
      if (side)
        if (const auto *leaf = std::get_if<Variable>(&side->leaf); leaf && *leaf != *variable)
          next = *leaf;
    variable = next;
  }
  return out;
}

} // namespace lanescope::core
