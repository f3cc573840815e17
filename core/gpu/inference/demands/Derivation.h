// The system of constraints of a module, as its operations demand it one after the other.
//
//   LogicalResult demand(Operation *op, Derivation &system) {        // of a multi_reduction
//     Variable source = system.at(op->getOpOperand(0)), result = system.at(op->getResult(0));
//     system.require(Equals{result, Expression(source).reduced({1}, 2)});
//     system.bind(source, {op->getOpOperand(0)});
//     system.bind(result, {op->getOpOperand(1), op->getResult(0)});
//     return success();
//   }
//
// A variable is named after one of the sites that it stands for. Arrays have one for each operation, and what is passed
// on is a relayout between two; references to shared and tensor memory have that of their definition. Source: JAX,
// jax/experimental/mosaic/gpu/layout_inference.py, `DerivationContext`.
#pragma once

#include "core/gpu/inference/constraints/System.h"
#include "core/gpu/ir/LayoutRules.h"

#include "mlir/IR/Operation.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

namespace lanescope::core {

/// Arrays in registers, references to shared memory (of this block or of another one) and to tensor memory; nothing for
/// all else. Barriers count as references only where `barriers`.
std::optional<constraints::MemorySpace> memorySpaceOf(mlir::Type type, bool barriers = false);
/// Bits of an element; 0: none, or no power of two.
int elementBits(mlir::Type type);
/// Error of the operation where it lacks an attribute that its rule reads: modules need not be verified.
mlir::LogicalResult requireAttributes(mlir::Operation *op, llvm::ArrayRef<llvm::StringRef> names);
/// Whether a dimension has a larger stride than the one before it.
bool isTransposed(mlir::Type type);

class Derivation {
public:
  using Sites = llvm::SmallVector<LayoutSite, 2>;

  /// Of a whole module; or of some of its operations: then one without a rule demands nothing, and a reference that
  /// none of them defines is a variable of its own at each use.
  enum class Scope { Module, Part };
  explicit Derivation(Scope scope = Scope::Module) : scope_(scope) {}

  //===--- for operations' demands ---===//

  /// The variable that is named after the site.
  constraints::Variable at(const LayoutSite &site);
  /// That of the operand's definition; errors are the operation's.
  mlir::FailureOr<constraints::Variable> producer(mlir::OpOperand &operand);

  void assign(constraints::Variable variable, constraints::Constant constant);
  void require(constraints::Constraint constraint);
  /// The variable stands for these sites of the operation, and for no others of it; `bindMore`: for these too.
  void bind(constraints::Variable variable, llvm::ArrayRef<LayoutSite> sites);
  void bindMore(constraints::Variable variable, llvm::ArrayRef<LayoutSite> sites);

  /// Assigns, where the variable can have the layout: an error of the operation where not.
  mlir::LogicalResult fix(constraints::Variable variable, constraints::Constant constant, llvm::StringRef what);
  /// The variable of a reference that has the id `alias`, or a new one at the site.
  constraints::Variable aliased(mlir::IntegerAttr alias, const LayoutSite &site);

  //===--- for the one who asks them ---===//

  /// Asks one operation. Errors: it has no rule; it cannot be in any layout.
  mlir::LogicalResult ask(mlir::Operation *op);
  /// Conversions between producers and consumers, and what makes the search short. Error: an array that is used has no
  /// variable.
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
  /// In program order, from the outside in.
  unsigned position(mlir::Operation *op) const { return positions_.lookup(op); }
  /// The operand that a constraint hands on to its operation; null where an operation demanded it.
  mlir::OpOperand *handedOn(size_t constraint) const { return handedOn_[constraint]; }
  /// What operations say outright.
  struct Statement {
    mlir::Operation *op;
    constraints::Variable variable;
    constraints::Constant value;
    std::optional<LayoutSite> site = {}; // by an attribute, of this operand or result
  };
  /// Says so of an operand or a result of an operation that was asked. Error of the operation: its rule knows none
  /// such; the layout is for other values.
  mlir::LogicalResult state(mlir::Operation *op, const LayoutSite &site, constraints::Constant constant);
  const std::vector<Statement> &statements() const { return statements_; }
  /// Whether two of them are of one variable and different.
  bool hasClash() const { return clash_; }

private:
  const Scope scope_;
  llvm::SmallVector<mlir::OpOperand *> usesOf(mlir::Value value) const;

  constraints::System system_;
  std::vector<LayoutSite> names_;           // by variable
  std::vector<Sites> bound_;                // by variable
  std::vector<mlir::Operation *> origins_;  // by constraint
  std::vector<mlir::OpOperand *> handedOn_; // by constraint
  std::vector<Statement> statements_;
  std::vector<constraints::Variable> order_;
  llvm::DenseMap<const void *, constraints::Variable> named_, of_; // by site
  llvm::DenseMap<int64_t, constraints::Variable> aliases_[2];      // of shared and of tensor memory
  llvm::DenseMap<mlir::Operation *, unsigned> positions_;          // in program order, from the outside in
  bool clash_ = false;
  mlir::Operation *op_ = nullptr; // that is asked, with what it binds and assigns
  llvm::MapVector<unsigned, Sites> binds_;
  llvm::MapVector<unsigned, constraints::Constant> assigns_;
};

/// What an operation demands; null: no rule. In demands/*.cpp, by families.
using Demand = mlir::LogicalResult (*)(mlir::Operation *op, Derivation &system);
Demand demandOf(llvm::StringRef operation);

/// Of what works element by element (MLIR's trait).
mlir::LogicalResult demandPointwise(mlir::Operation *op, Derivation &system);

/// Rules by operation's name, for the table.
using DemandEntry = std::pair<llvm::StringRef, Demand>;
llvm::ArrayRef<DemandEntry> arrayDemands();
llvm::ArrayRef<DemandEntry> regionDemands();
llvm::ArrayRef<DemandEntry> referenceDemands();
llvm::ArrayRef<DemandEntry> transferDemands();
llvm::ArrayRef<DemandEntry> copyDemands();
llvm::ArrayRef<DemandEntry> productDemands();
llvm::ArrayRef<DemandEntry> tensorDemands();

} // namespace lanescope::core
