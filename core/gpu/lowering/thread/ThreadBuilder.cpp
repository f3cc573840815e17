#include "core/gpu/lowering/thread/ThreadBuilder.h"

#include "mlir/IR/BuiltinTypes.h"

namespace lanescope::core {

using namespace mlir;

Type ThreadBuilder::pointer(unsigned space) { return LLVM::LLVMPointerType::get(context(), space); }

Value ThreadBuilder::integer(Type type, int64_t value) {
  auto element = cast<IntegerType>(elementOf(type));
  llvm::APInt bits(element.getWidth(), static_cast<uint64_t>(value), /*isSigned=*/true, /*implicitTrunc=*/true);
  if (auto vector = dyn_cast<VectorType>(type))
    return create<LLVM::ConstantOp>(type, DenseElementsAttr::get(vector, bits));
  return create<LLVM::ConstantOp>(type, IntegerAttr::get(element, bits));
}

Value ThreadBuilder::number(Type type, double value) {
  auto attribute = FloatAttr::get(elementOf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    return create<LLVM::ConstantOp>(type, DenseElementsAttr::get(vector, attribute.getValue()));
  return create<LLVM::ConstantOp>(type, attribute);
}

std::optional<int64_t> ThreadBuilder::knownInteger(Value value) {
  if (auto constant = value.getDefiningOp<LLVM::ConstantOp>())
    if (auto integer = dyn_cast<IntegerAttr>(constant.getValue()))
      return integer.getValue().getSExtValue();
  return std::nullopt;
}

Value ThreadBuilder::add(Value a, Value b) {
  if (!a)
    return b;
  if (!b || knownInteger(b) == 0)
    return a;
  if (knownInteger(a) == 0)
    return b;
  return create<LLVM::AddOp>(a, b);
}

Value ThreadBuilder::add(Value a, int64_t b) { return b == 0 ? a : create<LLVM::AddOp>(a, integer(a.getType(), b)); }

Value ThreadBuilder::multiply(Value a, int64_t b) {
  if (b == 1)
    return a;
  if (b > 0 && (b & (b - 1)) == 0)
    return shiftLeft(a, __builtin_ctzll(b));
  return create<LLVM::MulOp>(a, integer(a.getType(), b));
}

Value ThreadBuilder::divide(Value a, int64_t b) {
  if (b == 1)
    return a;
  if ((b & (b - 1)) == 0)
    return shiftRight(a, __builtin_ctzll(b));
  return create<LLVM::UDivOp>(a, integer(a.getType(), b));
}

Value ThreadBuilder::modulo(Value a, int64_t b) {
  if ((b & (b - 1)) == 0)
    return bitAnd(a, b - 1);
  return create<LLVM::URemOp>(a, integer(a.getType(), b));
}

Value ThreadBuilder::bitAnd(Value a, int64_t b) { return create<LLVM::AndOp>(a, integer(a.getType(), b)); }
Value ThreadBuilder::bitXor(Value a, Value b) { return create<LLVM::XOrOp>(a, b); }
Value ThreadBuilder::bitXor(Value a, int64_t b) { return b == 0 ? a : create<LLVM::XOrOp>(a, integer(a.getType(), b)); }
Value ThreadBuilder::shiftLeft(Value a, int64_t bits) {
  return bits == 0 ? a : create<LLVM::ShlOp>(a, integer(a.getType(), bits));
}
Value ThreadBuilder::shiftRight(Value a, int64_t bits) {
  return bits == 0 ? a : create<LLVM::LShrOp>(a, integer(a.getType(), bits));
}

Value ThreadBuilder::compare(LLVM::ICmpPredicate predicate, Value a, Value b) {
  return create<LLVM::ICmpOp>(predicate, a, b);
}
Value ThreadBuilder::compare(LLVM::ICmpPredicate predicate, Value a, int64_t b) {
  return compare(predicate, a, integer(a.getType(), b));
}

Value ThreadBuilder::resize(Value a, unsigned bits) {
  unsigned from = cast<IntegerType>(a.getType()).getWidth();
  if (from == bits)
    return a;
  Type type = builder_.getIntegerType(bits);
  if (from < bits)
    return create<LLVM::ZExtOp>(type, a);
  return create<LLVM::TruncOp>(type, a);
}

Value ThreadBuilder::address(Value base, Value offset, int64_t known) {
  Type type = base.getType(), byte = builder_.getI8Type();
  if (offset)
    base = create<LLVM::GEPOp>(type, byte, base, ArrayRef<LLVM::GEPArg>{offset});
  if (known == 0)
    return base;
  constexpr unsigned kConstantBits = 29; // a GEPArg holds a constant of at most this width
  LLVM::GEPArg distance = llvm::isInt<kConstantBits>(known) ? LLVM::GEPArg(static_cast<int32_t>(known))
                                                            : LLVM::GEPArg(integer(builder_.getI64Type(), known));
  return create<LLVM::GEPOp>(type, byte, base, ArrayRef<LLVM::GEPArg>{distance});
}

Value ThreadBuilder::load(Type type, Value address, unsigned alignment) {
  return create<LLVM::LoadOp>(type, address, alignment);
}
void ThreadBuilder::store(Value value, Value address, unsigned alignment) {
  create<LLVM::StoreOp>(value, address, alignment);
}

Value ThreadBuilder::slot(Type type) {
  OpBuilder::InsertionGuard guard(builder_);
  auto function = cast<LLVM::LLVMFuncOp>(builder_.getBlock()->getParentOp());
  builder_.setInsertionPointToStart(&function.getBody().front());
  return create<LLVM::AllocaOp>(pointer(), type, constant(1));
}

Type ThreadBuilder::vectorOf(Type element, int64_t count) {
  return count == 1 ? element : VectorType::get({count}, element);
}
int64_t ThreadBuilder::countOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getNumElements() : 1;
}
Type ThreadBuilder::elementOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getElementType() : type;
}

Value ThreadBuilder::extract(Value vector, int64_t index) {
  return isa<VectorType>(vector.getType()) ? create<LLVM::ExtractElementOp>(vector, constant(index)) : vector;
}
Value ThreadBuilder::insert(Value vector, Value element, int64_t index) {
  return isa<VectorType>(vector.getType()) ? create<LLVM::InsertElementOp>(vector, element, constant(index)) : element;
}

Value ThreadBuilder::slice(Value vector, int64_t begin, int64_t count) {
  if (count == countOf(vector.getType()))
    return vector;
  if (count == 1)
    return extract(vector, begin);
  llvm::SmallVector<int32_t> picks;
  for (int64_t i = 0; i < count; ++i)
    picks.push_back(static_cast<int32_t>(begin + i));
  return create<LLVM::ShuffleVectorOp>(vector, vector, picks);
}

Value ThreadBuilder::concatenate(ArrayRef<Value> parts) {
  if (parts.size() == 1)
    return parts.front();
  int64_t total = 0;
  for (Value part : parts)
    total += countOf(part.getType());
  Value result = undefined(vectorOf(elementOf(parts.front().getType()), total));
  int64_t at = 0;
  for (Value part : parts)
    for (int64_t i = 0, n = countOf(part.getType()); i < n; ++i)
      result = insert(result, extract(part, i), at++);
  return result;
}

Value ThreadBuilder::splat(Value scalar, int64_t count) {
  if (count == 1)
    return scalar;
  Type type = vectorOf(scalar.getType(), count);
  if (auto known = scalar.getDefiningOp<LLVM::ConstantOp>())
    if (isa<IntegerAttr, FloatAttr>(known.getValue()))
      return create<LLVM::ConstantOp>(type, DenseElementsAttr::get(cast<VectorType>(type), known.getValue()));
  Value one = insert(undefined(type), scalar, 0);
  return create<LLVM::ShuffleVectorOp>(one, one, llvm::SmallVector<int32_t>(count, 0));
}

Value ThreadBuilder::undefined(Type type) { return create<LLVM::PoisonOp>(type); }

static Value inlineAsm(ThreadBuilder &t, Type result, llvm::StringRef text, std::string constraints,
                       ValueRange operands, bool sideEffects) {
  TypeRange results = result ? TypeRange(result) : TypeRange();
  auto op = t.create<LLVM::InlineAsmOp>(results, operands, text, constraints, sideEffects, /*is_align_stack=*/false,
                                        LLVM::tailcallkind::TailCallKind::None,
                                        LLVM::AsmDialectAttr::get(t.context(), LLVM::AsmDialect::AD_ATT), ArrayAttr());
  return result ? op->getResult(0) : Value();
}

void ThreadBuilder::ptx(llvm::StringRef text, llvm::StringRef constraints, ValueRange operands) {
  inlineAsm(*this, nullptr, text, (constraints.empty() ? "" : constraints.str() + ",") + "~{memory}", operands, true);
}
Value ThreadBuilder::ptx(Type result, llvm::StringRef text, llvm::StringRef constraints, ValueRange operands) {
  return inlineAsm(*this, result, text, constraints.str() + ",~{memory}", operands, true);
}
Value ThreadBuilder::purePtx(Type result, llvm::StringRef text, llvm::StringRef constraints, ValueRange operands) {
  return inlineAsm(*this, result, text, constraints.str(), operands, false);
}

Value ThreadBuilder::intrinsic(llvm::StringRef name, Type result, ValueRange operands) {
  return create<LLVM::CallIntrinsicOp>(result, builder_.getStringAttr(name), operands)->getResult(0);
}

} // namespace lanescope::core
