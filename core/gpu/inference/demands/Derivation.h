// Collects the system of constraints of a module from its operations' demands, one after another.
//
//   LogicalResult demand(Operation *op, Derivation &system) {        // a multi_reduction's
//     Variable source = system.at(op->getOpOperand(0)), result = system.at(op->getResult(0));
//     system.require(Equals{result, Expression(source).reduced({1}, 2)});
//     system.bind(source, {op->getOpOperand(0)});
//     system.bind(result, {op->getOpOperand(1), op->getResult(0)});
//     return success();
//   }
//
// A variable is named after one of the sites that it stands for. An array has a variable at each operation; if one
// operation passes it to another, a relayout relates the two variables. A reference to shared or tensor memory has the
// variable of its definition everywhere. Source: JAX, jax/experimental/mosaic/gpu/layout_inference.py,
// `DerivationContext`.
#pragma once

#include "core/gpu/inference/constraints/ConstraintSystem.h"
#include "core/gpu/ir/LayoutRules.h"

#include "mlir/IR/Operation.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

namespace lanescope::core {

/// The memory of arrays in registers, and of references to shared memory (of this block or another) and to tensor
/// memory; nothing for other types. Barriers count as references only with `barriers`.
std::optional<constraints::MemorySpace> memorySpaceOf(mlir::Type type, bool barriers = false);
/// Bits of an element; 0: it has no width, or one that is not a power of two.
int elementBits(mlir::Type type);
/// Reports an error at the operation if it lacks an attribute that its rule reads, because the module may not have been
/// verified.
mlir::LogicalResult requireAttributes(mlir::Operation *op, llvm::ArrayRef<llvm::StringRef> names);
/// True if a dimension has a larger stride than the one before it.
bool isTransposed(mlir::Type type);

class Derivation {
public:
  using Sites = llvm::SmallVector<LayoutSite, 2>;

  /// Module: a whole module. Part: some of its operations. An operation without a rule then demands nothing. A
  /// reference that is not defined by one of these operations is a separate variable at each use.
  enum class Scope { Module, Part };
  explicit Derivation(Scope scope = Scope::Module) : scope_(scope) {}

  //===--- for operations' demands ---===//

  /// The variable that is named after the site.
  constraints::Variable at(const LayoutSite &site);
  /// The variable of the operand's definition; errors are at the operation.
  mlir::FailureOr<constraints::Variable> producer(mlir::OpOperand &operand);

  void assign(constraints::Variable variable, constraints::Constant constant);
  void require(constraints::Constraint constraint);
  /// The variable stands for these sites of the operation, and for no others; `bindMore` adds sites.
  void bind(constraints::Variable variable, llvm::ArrayRef<LayoutSite> sites);
  void bindMore(constraints::Variable variable, llvm::ArrayRef<LayoutSite> sites);

  /// Assigns the layout; reports an error at the operation if the variable cannot have it.
  mlir::LogicalResult fix(constraints::Variable variable, constraints::Constant constant, llvm::StringRef what);
  /// The variable of the reference with the id `alias`, or a new one named after the site.
  constraints::Variable aliased(mlir::IntegerAttr alias, const LayoutSite &site);

  //===--- for users of the system ---===//

  /// Collects the demands of one operation. Errors: it has no rule; no layout is possible for it.
  mlir::LogicalResult ask(mlir::Operation *op);
  /// Adds conversions between producers and consumers, and the implied constraints that shorten the search. Error: an
  /// array that is used has no variable.
  mlir::LogicalResult finish();

  const constraints::System &system() const { return system_; }
  /// All variables, in the order in which operations named them.
  const std::vector<constraints::Variable> &variables() const { return order_; }
  llvm::ArrayRef<LayoutSite> sitesOf(constraints::Variable variable) const { return bound_[variable.id]; }
  std::optional<constraints::Variable> variableAt(const LayoutSite &site) const;
  /// The site that the variable is named after.
  const LayoutSite &site(constraints::Variable variable) const { return names_[variable.id]; }
  /// The operation that demanded a constraint, or whose operand is converted.
  mlir::Operation *origin(size_t constraint) const { return origins_[constraint]; }
  /// The operation's position in program order. An operation comes before the operations in its regions.
  unsigned position(mlir::Operation *op) const { return positions_.lookup(op); }
  /// The operand that a constraint passes to its operation; null if an operation demanded the constraint.
  mlir::OpOperand *handedOn(size_t constraint) const { return handedOn_[constraint]; }
  /// A layout that an operation states directly.
  struct Statement {
    mlir::Operation *op;
    constraints::Variable variable;
    constraints::Constant value;
    std::optional<LayoutSite> site = {}; // if stated by an attribute: its operand or result
  };
  /// Adds a statement about an operand or a result of an operation whose demands were collected. Error at the
  /// operation: its rule has no such value; the layout does not fit the value.
  mlir::LogicalResult state(mlir::Operation *op, const LayoutSite &site, constraints::Constant constant);
  const std::vector<Statement> &statements() const { return statements_; }
  /// True if two statements give one variable different layouts.
  bool hasClash() const { return clash_; }

private:
  const Scope scope_;
  llvm::SmallVector<mlir::OpOperand *> usesOf(mlir::Value value) const;

  constraints::System system_;
  std::vector<LayoutSite> names_;           // indexed by variable
  std::vector<Sites> bound_;                // indexed by variable
  std::vector<mlir::Operation *> origins_;  // indexed by constraint
  std::vector<mlir::OpOperand *> handedOn_; // indexed by constraint
  std::vector<Statement> statements_;
  std::vector<constraints::Variable> order_;
  llvm::DenseMap<const void *, constraints::Variable> named_, of_; // keyed by the value or operand of the site
  llvm::DenseMap<int64_t, constraints::Variable> aliases_[2];      // for shared and for tensor memory
  llvm::DenseMap<mlir::Operation *, unsigned> positions_;          // in program order, from the outside in
  bool clash_ = false;
  mlir::Operation *op_ = nullptr; // the current operation, which binds and assigns
  llvm::MapVector<unsigned, Sites> binds_;
  llvm::MapVector<unsigned, constraints::Constant> assigns_;
};

/// Collects an operation's demands. The functions are in demands/*.cpp, in one file per family.
using Demand = mlir::LogicalResult (*)(mlir::Operation *op, Derivation &system);

/// Collects the demands of an elementwise operation (MLIR's trait).
mlir::LogicalResult demandPointwise(mlir::Operation *op, Derivation &system);

/// The operations of a family, each with its function.
using DemandEntry = std::pair<mlir::TypeID, Demand>;
template <typename Op> DemandEntry on(Demand demand) { return {mlir::TypeID::get<Op>(), demand}; }
/// The same, for a function that takes the operation's own type: `on<Op, function>()`.
template <typename Op, mlir::LogicalResult (*function)(Op, Derivation &)> DemandEntry on() {
  return {mlir::TypeID::get<Op>(),
          [](mlir::Operation *op, Derivation &system) { return function(mlir::cast<Op>(op), system); }};
}
llvm::ArrayRef<DemandEntry> arrayDemands();
llvm::ArrayRef<DemandEntry> regionDemands();
llvm::ArrayRef<DemandEntry> referenceDemands();
llvm::ArrayRef<DemandEntry> transferDemands();
llvm::ArrayRef<DemandEntry> copyDemands();
llvm::ArrayRef<DemandEntry> productDemands();
llvm::ArrayRef<DemandEntry> tensorDemands();

} // namespace lanescope::core
