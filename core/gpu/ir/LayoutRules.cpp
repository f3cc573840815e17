#include "core/gpu/ir/LayoutRules.h"

#include "core/gpu/ir/MosaicGpu.h"

#include "core/gpu/ir/LayoutRulesInterface.cpp.inc"

namespace lanescope::core {

using namespace mlir;

bool isVariable(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && memref.getRank() == 0 && isa<VectorType>(memref.getElementType());
}

bool hasRegisterLayout(Type type) { return isa<VectorType>(type) || isVariable(type); }

bool hasTransforms(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && isSharedMemory(memref) && !isa<mosaic_gpu::BarrierType>(memref.getElementType());
}

bool hasTensorLayout(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && isTensorMemory(memref);
}

namespace {

struct Sites {
  using List = llvm::SmallVector<LayoutSite, 4>;

  List operator()(const rule::Equal &r) const { return r.sites; }
  List operator()(const rule::Relayout &r) const { return {r.from, r.to}; }
  List operator()(const rule::Reduced &r) const { return {r.large, r.small}; }
  List operator()(const rule::Reshaped &r) const { return {r.from, r.to}; }
  List operator()(const rule::Part &r) const { return {r.whole, r.part}; }
  List operator()(const rule::Transposed &r) const { return {r.from, r.to}; }
  List operator()(const rule::Transfer &r) const { return {r.array}; }
  List operator()(const rule::TensorTransfer &r) const { return {r.array, r.tensor}; }
  template <typename Rule> List operator()(const Rule &r) const { return {r.site}; }
};

bool isRuled(const LayoutSite &site) {
  Type type = site.value.getType();
  return hasRegisterLayout(type) || hasTransforms(type) || hasTensorLayout(type);
}

bool isArray(const LayoutSite &site) { return hasRegisterLayout(site.value.getType()); }

template <typename Rule> constexpr bool kOfReferences = false;
template <> constexpr bool kOfReferences<rule::Reshaped> = true;
template <> constexpr bool kOfReferences<rule::Transposed> = true;
template <> constexpr bool kOfReferences<rule::FixedTransforms> = true;
template <> constexpr bool kOfReferences<rule::TensorOneOf> = true;
template <> constexpr bool kOfReferences<rule::TensorTransfer> = true;
template <> constexpr bool kOfReferences<rule::Any> = true;

} // namespace

llvm::SmallVector<LayoutSite, 4> sitesOf(const LayoutRule &rule) { return std::visit(Sites(), rule); }

void LayoutRules::ask(Operation *op) {
  if (auto interface = dyn_cast<LayoutRulesOpInterface>(op)) {
    op_ = op;
    interface.layoutRules(*this);
  }
}

template <typename Rule> void LayoutRules::add(Rule rule) {
  if (llvm::all_of(Sites()(rule), kOfReferences<Rule> ? isRuled : isArray))
    entries_.push_back({op_, std::move(rule)});
}

void LayoutRules::equal(ArrayRef<LayoutSite> sites) {
  rule::Equal rule;
  llvm::copy_if(sites, std::back_inserter(rule.sites), isRuled);
  if (!rule.sites.empty())
    entries_.push_back({op_, std::move(rule)});
}

void LayoutRules::equalAll() {
  llvm::SmallVector<LayoutSite, 4> sites;
  for (OpOperand &operand : op_->getOpOperands())
    sites.push_back(operand);
  for (Value result : op_->getResults())
    sites.push_back(result);
  equal(sites);
}

void LayoutRules::equalPairs() {
  for (auto [operand, result] : llvm::zip_equal(op_->getOpOperands(), op_->getResults()))
    equal({operand, Value(result)});
}

void LayoutRules::relayout(LayoutSite from, LayoutSite to) { add(rule::Relayout{from, to, /*strict=*/false}); }

void LayoutRules::relayoutOfConstant(LayoutSite from, LayoutSite to) { add(rule::Relayout{from, to, /*strict=*/true}); }

void LayoutRules::reduction(LayoutSite from, LayoutSite to, ArrayRef<int64_t> axes) {
  if (isArray(to))
    add(rule::Reduced{from, to, axes.vec(), /*repeats=*/false});
  else
    any(from); // reduces all elements to one number
}

void LayoutRules::broadcast(LayoutSite from, LayoutSite to, ArrayRef<int64_t> kept) {
  rule::Reduced rule{to, from, {}, /*repeats=*/true};
  for (int64_t d = 0, rank = cast<VectorType>(to.value.getType()).getRank(); d < rank; ++d)
    if (!llvm::is_contained(kept, d))
      rule.axes.push_back(d);
  add(std::move(rule));
}

void LayoutRules::reshape(LayoutSite from, LayoutSite to) { add(rule::Reshaped{from, to}); }

void LayoutRules::part(LayoutSite whole, LayoutSite part, bool leading) { add(rule::Part{whole, part, leading}); }

void LayoutRules::transpose(LayoutSite from, LayoutSite to, ArrayRef<unsigned> permutation) {
  add(rule::Transposed{from, to, {permutation.begin(), permutation.end()}});
}

void LayoutRules::oneOf(LayoutSite site, std::vector<layouts::RegisterLayout> layouts, llvm::StringLiteral what) {
  add(rule::OneOf{site, std::move(layouts), what});
}

void LayoutRules::transforms(LayoutSite site, SmemTransforms transforms) {
  add(rule::FixedTransforms{site, std::move(transforms)});
}

void LayoutRules::transfer(LayoutSite array, Value reference) { add(rule::Transfer{array, reference}); }

void LayoutRules::oneOf(LayoutSite tensor, std::vector<layouts::TMEMLayout> layouts, llvm::StringLiteral what) {
  add(rule::TensorOneOf{tensor, std::move(layouts), what});
}

void LayoutRules::tensorTransfer(LayoutSite array, LayoutSite tensor) { add(rule::TensorTransfer{array, tensor}); }

void LayoutRules::notSplat(LayoutSite site) { add(rule::NotSplat{site}); }

void LayoutRules::splat(LayoutSite site) { add(rule::Splat{site}); }

void LayoutRules::any(LayoutSite site) { add(rule::Any{site}); }

void LayoutRules::anyAll() {
  for (OpOperand &operand : op_->getOpOperands())
    any(operand);
}

} // namespace lanescope::core
