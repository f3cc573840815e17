// Finds a smallest set of operations that contradict each other: it removes halves, quarters, … of the operations, and
// keeps each removal after which the rest still contradicts itself.
//
//   a b c d e f  ->  remove a b c: still contradicts  ->  d e f  ->  remove d: does not  ->  …  ->  d f
#include "core/gpu/inference/CastCost.h"
#include "core/gpu/inference/Explanation.h"
#include "core/gpu/inference/LayoutWords.h"

#include "layouts/cost/RelayoutTable.h"
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
using constraints::Variable;

namespace {

/// The unit that a trial system includes or leaves out: all demands of an operation, or one edge, which passes an array
/// from its definition to an operand.
struct Element {
  Operation *op = nullptr;
  OpOperand *use = nullptr;
  SmallVector<size_t, 2> constraints, statements;
};

class Core {
public:
  Core(const Derivation &derivation, const GpuTarget &target) : derivation_(derivation), target_(target) {}

  Contradiction run() {
    Contradiction out;
    for (const Component &component : components()) {
      if (!contradicts(component.operations, component.edges))
        continue;
      std::vector<Element> core = smallest(narrowed(component));
      for (const Element &element : core)
        out.demands.push_back({element.op, words(element)});
      // A conversion may resolve the contradiction where an array enters or leaves one of these operations.
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
  static constexpr int64_t kFuel = 2'000;      // per trial
  static constexpr int64_t kAllFuel = 100'000; // for all trials
  static constexpr size_t kCasts = 4;

  /// A connected component: operations and edges whose variables depend on each other.
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

  /// The system of some elements alone; nothing if two of them state different values. `loose`: the operand of an edge
  /// at which the array may be converted. `variables`: receives each variable's counterpart in the whole system.
  /// `owners`: receives the element of each constraint.
  std::optional<System> systemOf(ArrayRef<Element> operations, ArrayRef<Element> edges, const OpOperand *loose,
                                 SmallVectorImpl<Variable> &variables,
                                 std::vector<const Element *> *owners = nullptr) const {
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
        if (owners)
          owners->push_back(&element);
      }
      for (size_t i : element.statements) {
        const Derivation::Statement &statement = derivation_.statements()[i];
        if (!out.assign(local(statement.variable), statement.value))
          return std::nullopt;
      }
    }
    return out;
  }

  /// The result of a search in the elements' system; nothing if they contradict each other.
  std::optional<SearchResult> solve(ArrayRef<Element> operations, ArrayRef<Element> edges, const OpOperand *loose,
                                    SmallVectorImpl<Variable> &variables) {
    auto part = systemOf(operations, edges, loose, variables);
    if (!part)
      return std::nullopt;
    // A value chosen for one variable then holds for all variables that are equal to it.
    auto merged = mergeEquals(completed(*part));
    if (!merged)
      return std::nullopt;
    std::vector<Variable> unknowns;
    for (unsigned id = 0; id < merged->system.variables.size(); ++id)
      unknowns.push_back({id});
    auto result = search(merged->system, unknowns, target_, std::min(kFuel, kAllFuel - fuel_));
    if (!result)
      return SearchResult{SearchResult::Undecided}; // the search ended without an answer, so no contradiction is known
    fuel_ += result->tried;
    // If no candidate was tried, no constraint suggested one. This proves no contradiction.
    const bool refuted = result->conflict || result->tried > 0;
    if (result->kind == SearchResult::Unsatisfiable && refuted)
      return std::nullopt;
    if (result->kind == SearchResult::Solved) {
      constraints::Assignments each;
      for (Variable variable : merged->of)
        each.push_back(result->assignments[variable.id]);
      result->assignments = std::move(each);
    }
    return std::move(*result);
  }

  bool contradicts(ArrayRef<Element> operations, ArrayRef<Element> edges) {
    SmallVector<Variable> variables;
    return !solve(operations, edges, nullptr, variables);
  }

  /// Narrows a component whose contradiction follows without any choice. Walks back from the violated constraint and
  /// keeps the operations and edges that gave a variable its value.
  Component narrowed(const Component &component) {
    SmallVector<Variable> variables;
    std::vector<const Element *> owners;
    auto part = systemOf(component.operations, component.edges, nullptr, variables, &owners);
    if (!part)
      return component;
    saturateNotSplat(*part); // appends constraints, so the earlier owners stay valid
    equateStrictRelayouts(*part);
    constraints::Propagation state(*part, target_);
    auto holds = state.start();
    if (!holds || *holds || !state.conflict())
      return component;
    llvm::DenseSet<const Element *> used;
    llvm::DenseSet<unsigned> seen;
    std::vector<size_t> left{*state.conflict()};
    while (!left.empty()) {
      const size_t constraint = left.back();
      left.pop_back();
      if (constraint < owners.size())
        used.insert(owners[constraint]);
      for (Variable variable : variablesOf(part->constraints[constraint])) {
        if (!seen.insert(variable.id).second)
          continue;
        if (auto reason = state.reason(variable))
          left.push_back(*reason);
        else
          for (const Element &element : component.operations)
            if (llvm::any_of(element.statements,
                             [&](size_t i) { return derivation_.statements()[i].variable == variables[variable.id]; }))
              used.insert(&element);
      }
    }
    Component out;
    for (auto [from, to] : {std::pair(&component.operations, &out.operations), std::pair(&component.edges, &out.edges)})
      for (const Element &element : *from)
        if (used.contains(&element))
          to->push_back(element);
    return contradicts(out.operations, out.edges) ? out : component;
  }

  /// Removes operations that the contradiction does not need: first halves, then quarters, and single ones at last.
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
      if (statement.site) {
        add(text(nameOf(*statement.site), " is ", inWords(statement.value)));
        continue;
      }
      for (const LayoutSite &site : derivation_.sitesOf(statement.variable)) {
        Operation *owner = site.use ? site.use->getOwner() : site.value.getDefiningOp();
        if (owner != element.op)
          continue;
        add(text(nameOf(site), " is ", inWords(statement.value)));
        break;
      }
    }
    for (size_t i : element.constraints)
      if (!std::holds_alternative<constraints::Relayout>(
              system().constraints[i])) // a cast's result is stated by the cast itself
        add(inWords(system().constraints[i]) + derivedWords(element, system().constraints[i]));
    return joined(parts, "; ");
  }

  /// Says from which array a derived (reduced, reshaped, …) layout follows, if the operation states it; else empty.
  std::string derivedWords(const Element &element, const Constraint &constraint) const {
    const auto *equals = std::get_if<constraints::Equals>(&constraint);
    constraints::Assignments known(system().variables.size());
    for (size_t i : element.statements)
      known[derivation_.statements()[i].variable.id] = derivation_.statements()[i].value;
    for (const Expression *side : equals ? std::initializer_list<const Expression *>{&equals->lhs, &equals->rhs}
                                         : std::initializer_list<const Expression *>{}) {
      const auto *variable = std::get_if<Variable>(&side->leaf);
      if (side->steps.empty() || !variable || !known[variable->id])
        continue;
      auto value = reduceExpression(*side, known);
      if (!value || !*value || !(*value)->constant())
        return text(", which ", inWords(known[variable->id]), " cannot be");
      return text(": ", inWords(*(*value)->constant()));
    }
    return {};
  }

  /// Adds a conversion to the list of fixes if the system has layouts once the array is converted at this edge.
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
      out.casts.push_back({edge.use, *from.registers(), *to.registers(),
                           castCost(*from.registers(), *to.registers(),
                                    system().variables[relayout.source.variable()->id].shape, relayout.bitwidth)});
      return;
    }
  }

  const Derivation &derivation_;
  const GpuTarget &target_;
  int64_t fuel_ = 0; // used so far
};

} // namespace

Contradiction explainContradiction(const Derivation &derivation, const GpuTarget &target) {
  return Core(derivation, target).run();
}

LogicalResult emitContradiction(Operation *module, const Contradiction &found) {
  if (found.demands.empty())
    return module->emitError() << "no layouts were found: some values have neither a stated nor a default layout; "
                                  "state one with `layout_cast`, `tmem_layout_cast` or `with_transforms`";
  const Contradiction::Demand &last = found.demands.back();
  InFlightDiagnostic problem = last.op->emitError();
  problem << "there are no layouts for all operations: here " << last.words;
  for (const Contradiction::Demand &demand : ArrayRef(found.demands).drop_back())
    problem.attachNote(demand.op->getLoc()) << "but here " << demand.words;
  for (const Contradiction::Cast &cast : found.casts)
    problem.attachNote(cast.use->getOwner()->getLoc())
        << "a `layout_cast` of operand " << cast.use->getOperandNumber() << " from " << layouts::quoted(cast.from)
        << " to " << layouts::quoted(cast.to) << " would do (" << cast.cost << ")";
  return problem;
}

} // namespace lanescope::core
