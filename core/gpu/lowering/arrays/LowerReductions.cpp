// vector.multi_reduction: sums, products, maxima and minima over axes of an array.
//
// A reduction has up to four stages: over a thread's registers, within a register's vector, over the lanes of a warp
// (butterflies of shuffles), and over the warps of the warpgroup (through scratch in shared memory). A stage is needed
// only if the layout spreads a reduced axis over it. Every thread combines in the same order, so copies of an element
// stay bitwise equal.
//
//   max over axis 1 of f32[64, 64] in WGMMA     16 registers of 2 -> 2 registers of 1: 30 maxima, 2 * 2 shuffles
//   max over axis 0                             8 registers of 2: 24 shuffles of 32 bits, then 1 KiB of scratch
//
// Source: JAX, jax/experimental/mosaic/gpu/fragmented_array.py, `reduce`.
#include "core/gpu/inference/LayoutsInModule.h"
#include "core/gpu/lowering/arrays/Elementwise.h"

#include "layouts/support/Text.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace lanescope::core {

using namespace mlir;
using layouts::Shape;
using layouts::TiledLayout;
using vector::CombiningKind;

namespace {

/// The LLVM operation that combines two values, and the equivalent redux.sync for 32-bit integers.
struct Combiner {
  CombiningKind kind;
  const char *integers, *floats, *redux;
};
constexpr Combiner kCombiners[] = {
    {CombiningKind::ADD, "llvm.add", "llvm.fadd", "llvm.nvvm.redux.sync.add"},
    {CombiningKind::MUL, "llvm.mul", "llvm.fmul", nullptr},
    {CombiningKind::MAXSI, "llvm.intr.smax", nullptr, "llvm.nvvm.redux.sync.max"},
    {CombiningKind::MINSI, "llvm.intr.smin", nullptr, "llvm.nvvm.redux.sync.min"},
    {CombiningKind::MAXUI, "llvm.intr.umax", nullptr, "llvm.nvvm.redux.sync.umax"},
    {CombiningKind::MINUI, "llvm.intr.umin", nullptr, "llvm.nvvm.redux.sync.umin"},
    {CombiningKind::AND, "llvm.and", nullptr, "llvm.nvvm.redux.sync.and"},
    {CombiningKind::OR, "llvm.or", nullptr, "llvm.nvvm.redux.sync.or"},
    {CombiningKind::XOR, "llvm.xor", nullptr, "llvm.nvvm.redux.sync.xor"},
    {CombiningKind::MAXIMUMF, nullptr, "llvm.intr.maximum", nullptr},
    {CombiningKind::MINIMUMF, nullptr, "llvm.intr.minimum", nullptr},
    {CombiningKind::MAXNUMF, nullptr, "llvm.intr.maxnum", nullptr},
    {CombiningKind::MINNUMF, nullptr, "llvm.intr.minnum", nullptr},
};

constexpr int64_t kRoundBytes = 4096; // bytes of scratch per warpgroup; more scratch would only save barriers

/// The plan of a reduction: the array's tiled form, and the reduced ones among the tiled dimensions and the leading
/// dimensions.
struct Plan {
  TiledLayout layout;
  Shape registers; // registersShape
  std::vector<bool> reduced;
  bool vector = false; // the vector dimension is reduced

  bool isReduced(int64_t dim) const { return reduced[reduced.size() + dim]; }
  int64_t results() const {
    int64_t count = 1;
    for (size_t i = 0; i < registers.size(); ++i)
      count *= reduced[i] ? 1 : registers[i];
    return count;
  }
  /// The bits of the lane's or warp's number along which values are combined.
  int64_t bitsOf(const std::vector<layouts::PartitionDim> &dims) const {
    int64_t bits = 0, below = 1;
    for (size_t i = dims.size(); i-- > 0;) {
      if (const auto *copies = std::get_if<layouts::Replicated>(&dims[i])) {
        below *= copies->times;
        continue;
      }
      int64_t dim = std::get<int64_t>(dims[i]), size = layout.dimSize(dim);
      if (isReduced(dim))
        bits |= (size - 1) * below;
      below *= size;
    }
    return bits;
  }
};

std::optional<Plan> planOf(const layouts::RegisterLayout &layout, Shape shape, std::vector<int64_t> axes) {
  std::optional<TiledLayout> tiled;
  if (const auto *own = std::get_if<TiledLayout>(&layout))
    tiled = *own;
  else if (const auto *strided = std::get_if<layouts::WGStridedFragLayout>(&layout)) {
    if (axes.size() == shape.size()) { // all axes are reduced, so the order of dimensions does not matter
      shape = {layouts::elementCount(shape)};
      axes = {0};
      auto flat = layouts::WGStridedFragLayout::make(shape, strided->vecSize());
      tiled = flat ? tiledForm(*flat) : std::nullopt;
    } else {
      tiled = tiledForm(*strided);
    }
  }
  if (!tiled)
    return std::nullopt;
  auto registers = tiled->registersShape(shape);
  if (!registers)
    return std::nullopt;
  Plan plan{*tiled, *registers, std::vector<bool>(registers->size(), false)};
  size_t leading = shape.size() - tiled->baseTile().size();
  for (int64_t axis : axes) {
    if (static_cast<size_t>(axis) < leading) {
      plan.reduced[axis] = true;
      continue;
    }
    std::vector<bool> mask = *tiled->tiling().tileDimension(axis - static_cast<int64_t>(leading));
    for (size_t i = 0; i < mask.size(); ++i)
      if (mask[i])
        plan.reduced[leading + i] = true;
  }
  plan.vector = plan.isReduced(tiled->vectorDim());
  return plan;
}

/// Scratch for one output register of each lane and warp.
int64_t stepBytes(const Plan &plan, int64_t elementBytes) {
  bool allLanes = plan.bitsOf(plan.layout.laneDims()) == layouts::kLanesPerWarp - 1;
  int64_t lanes = allLanes ? 1 : layouts::kLanesPerWarp;
  int64_t length = plan.vector ? 1 : plan.layout.vectorLength();
  return layouts::kWarpsPerWarpgroup * lanes * length * elementBytes;
}

int64_t stepsPerRound(const Plan &plan, int64_t elementBytes) {
  return std::clamp<int64_t>(kRoundBytes / stepBytes(plan, elementBytes), 1, plan.results());
}

Value combined(ThreadBuilder &t, const Combiner &combiner, Value a, Value b) {
  bool floats = isa<FloatType>(ThreadBuilder::elementOf(b.getType()));
  return a ? createNamed(t, floats ? combiner.floats : combiner.integers, a.getType(), {a, b}) : b;
}

class Reduction {
public:
  Reduction(KernelLowering &k, const Combiner &combiner, const Plan &plan, Type element)
      : k_(k), t_(k.t), combiner_(combiner), plan_(plan), element_(element) {}

  std::vector<Value> run(const std::vector<Value> &registers) {
    std::vector<Value> values = withinThread(registers);
    acrossLanes(values);
    acrossWarps(values);
    return values;
  }

private:
  Value combine(Value a, Value b) { return combined(t_, combiner_, a, b); }

  std::vector<Value> withinThread(const std::vector<Value> &registers) {
    std::vector<Value> out(plan_.results());
    Shape index(plan_.registers.size(), 0), strides(plan_.registers.size(), 0);
    int64_t stride = 1;
    for (size_t d = strides.size(); d-- > 0;)
      if (!plan_.reduced[d]) {
        strides[d] = stride;
        stride *= plan_.registers[d];
      }
    for (Value reg : registers) {
      int64_t at = 0;
      for (size_t d = 0; d < index.size(); ++d)
        at += index[d] * strides[d];
      out[at] = combine(out[at], reg);
      for (size_t d = index.size(); d-- > 0;) {
        if (++index[d] < plan_.registers[d])
          break;
        index[d] = 0;
      }
    }
    if (plan_.vector)
      for (Value &value : out) {
        Value all;
        for (int64_t i = 0, n = ThreadBuilder::countOf(value.getType()); i < n; ++i)
          all = combine(all, t_.extract(value, i));
        value = all;
      }
    return out;
  }

  void acrossLanes(std::vector<Value> &values) {
    int64_t bits = plan_.bitsOf(plan_.layout.laneDims());
    if (bits == layouts::kLanesPerWarp - 1 && combiner_.redux && element_.isInteger(32)) {
      for (Value &value : values) {
        SmallVector<Value> parts;
        for (int64_t i = 0, n = ThreadBuilder::countOf(value.getType()); i < n; ++i)
          parts.push_back(t_.intrinsic(combiner_.redux, t_.i32(), {t_.extract(value, i), t_.constant(-1)}));
        value = t_.concatenate(parts);
      }
      return;
    }
    for (int lanes = 1; lanes < layouts::kLanesPerWarp; lanes *= 2)
      if (bits & lanes)
        for (Value &value : values)
          value = combine(value, shuffled(t_, value, lanes));
  }

  void acrossWarps(std::vector<Value> &values) {
    int64_t reduced = plan_.bitsOf(plan_.layout.warpDims());
    if (reduced == 0)
      return;
    constexpr int64_t kWarps = layouts::kWarpsPerWarpgroup;
    int64_t elementBytes = element_.getIntOrFloatBitWidth() / 8;
    int64_t length = ThreadBuilder::countOf(values.front().getType()), unit = length * elementBytes;
    int64_t step = stepBytes(plan_, elementBytes), perRound = stepsPerRound(plan_, elementBytes);
    bool spread = step > kWarps * unit; // lanes hold different values
    // Lanes whose places are 128 bytes apart use the same bank. So they read the warps' values in different orders: the
    // warp's number XOR `turn`. Combining is commutative, so the order does not change the result's bits.
    Value turn;
    int64_t row = 128 / (kWarps * unit); // lanes in 128 bytes
    if (spread && row >= 1 && row <= 16) {
      turn = t_.divide(k_.lane, row);
      turn = row == 16 ? t_.shiftLeft(turn, 1) : t_.bitAnd(turn, kWarps - 1);
    }
    Value lanePart = spread ? t_.multiply(k_.lane, kWarps) : Value(), base = k_.reductionScratch();
    auto alignment = static_cast<unsigned>(std::min<int64_t>(16, unit & -unit));
    auto place = [&](Value warp) { // in units of `unit` bytes
      Value slot = turn ? t_.bitXor(warp, turn) : warp;
      return t_.address(base, t_.multiply(t_.add(lanePart, slot), unit), 0);
    };
    Value mine = place(k_.warp);
    // If the reduction covers only one bit of the warp's number: the places of the two values to combine.
    SmallVector<Value> sources;
    Value whole =
        reduced == kWarps - 1 ? t_.address(base, lanePart ? t_.multiply(lanePart, unit) : Value(), 0) : Value();
    if (!whole) {
      Value first = t_.bitAnd(k_.warp, (kWarps - 1) & ~reduced);
      sources = {place(first), place(t_.bitXor(first, reduced))};
    }
    for (size_t begin = 0; begin < values.size(); begin += perRound) {
      size_t end = std::min(values.size(), begin + perRound);
      for (size_t i = begin; i < end; ++i)
        t_.store(values[i], t_.address(mine, Value(), static_cast<int64_t>(i - begin) * step), alignment);
      k_.warpgroupBarrier();
      for (size_t i = begin; i < end; ++i) {
        int64_t at = static_cast<int64_t>(i - begin) * step;
        Type type = values[i].getType();
        if (!whole) {
          values[i] = combine(t_.load(type, t_.address(sources[0], Value(), at), alignment),
                              t_.load(type, t_.address(sources[1], Value(), at), alignment));
          continue;
        }
        Value all = t_.load(ThreadBuilder::vectorOf(element_, kWarps * length), t_.address(whole, Value(), at),
                            std::min<unsigned>(16, alignment * kWarps));
        auto part = [&](int64_t warp) { return t_.slice(all, warp * length, length); };
        values[i] = combine(combine(part(0), part(1)), combine(part(2), part(3)));
      }
      k_.warpgroupBarrier(); // the scratch must not be overwritten while other warps still read it
    }
  }

  KernelLowering &k_;
  ThreadBuilder &t_;
  const Combiner &combiner_;
  const Plan &plan_;
  Type element_;
};

/// True if a reduction that starts from this constant has the same result.
bool isNeutral(CombiningKind kind, Value start) {
  auto constant = start.getDefiningOp<arith::ConstantOp>();
  if (!constant)
    return false;
  TypedAttr value = constant.getValue();
  if (auto splat = dyn_cast<SplatElementsAttr>(value))
    value = splat.getSplatValue<TypedAttr>();
  if (auto number = dyn_cast<FloatAttr>(value)) {
    const APFloat &x = number.getValue();
    switch (kind) {
    case CombiningKind::ADD: return x.isZero();
    case CombiningKind::MUL: return x.isExactlyValue(1.0);
    case CombiningKind::MAXIMUMF:
    case CombiningKind::MAXNUMF: return x.isInfinity() && x.isNegative();
    case CombiningKind::MINIMUMF:
    case CombiningKind::MINNUMF: return x.isInfinity() && !x.isNegative();
    default: return false;
    }
  }
  const APInt &x = cast<IntegerAttr>(value).getValue();
  switch (kind) {
  case CombiningKind::ADD:
  case CombiningKind::OR:
  case CombiningKind::XOR:
  case CombiningKind::MAXUI: return x.isZero();
  case CombiningKind::MUL: return x.isOne();
  case CombiningKind::AND:
  case CombiningKind::MINUI: return x.isAllOnes();
  case CombiningKind::MAXSI: return x.isMinSignedValue();
  case CombiningKind::MINSI: return x.isMaxSignedValue();
  default: return false;
  }
}

/// x combined with itself `count` times.
Value repeated(ThreadBuilder &t, CombiningKind kind, Value x, int64_t count) {
  Type type = x.getType();
  bool isFloat = isa<FloatType>(type);
  switch (kind) {
  case CombiningKind::ADD:
    return isFloat ? t.create<LLVM::FMulOp>(x, t.number(type, static_cast<double>(count))).getResult()
                   : t.create<LLVM::MulOp>(x, t.integer(type, count)).getResult();
  case CombiningKind::MUL: {
    Value result;
    for (int64_t n = count; n > 0; n >>= 1) { // by repeated squaring
      auto times = [&](Value a, Value b) { return createNamed(t, isFloat ? "llvm.fmul" : "llvm.mul", type, {a, b}); };
      if (n & 1)
        result = result ? times(result, x) : x;
      if (n > 1)
        x = times(x, x);
    }
    return result;
  }
  case CombiningKind::XOR: return count % 2 == 0 ? t.integer(type, 0) : x;
  default: return x;
  }
}

std::vector<int64_t> axesOf(vector::MultiDimReductionOp op) {
  return {op.getReductionDims().begin(), op.getReductionDims().end()};
}

LogicalResult reduce(KernelLowering &k, Operation *op) {
  auto reduction = cast<vector::MultiDimReductionOp>(op);
  const RegisterArray &source = k.array(reduction.getSource());
  Type element = cast<VectorType>(reduction.getSource().getType()).getElementType();
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() < 8 || k.registerElement(element) != element)
    return op->emitError() << "arrays of `" << element << "` are not reduced; convert with `astype` first";
  const Combiner *combiner = nullptr;
  for (const Combiner &each : kCombiners)
    if (each.kind == reduction.getKind() && (isa<FloatType>(element) ? each.floats : each.integers))
      combiner = &each;
  if (!combiner)
    return op->emitError("this kind of reduction does not exist for this element type");
  std::vector<int64_t> axes = axesOf(reduction);
  bool complete = !isa<VectorType>(reduction.getDest().getType());
  RegisterArray result;
  if (!complete) {
    auto type = cast<VectorType>(reduction.getDest().getType());
    result.shape.assign(type.getShape().begin(), type.getShape().end());
  }
  if (source.isSplat()) {
    int64_t count = 1;
    for (int64_t axis : axes)
      count *= source.shape[axis];
    result.layout = layouts::WGSplatFragLayout{result.shape};
    result.registers = {repeated(k.t, reduction.getKind(), source.registers.front(), count)};
  } else {
    auto plan = planOf(source.layout, source.shape, axes);
    auto layout = complete ? std::optional<layouts::RegisterLayout>(layouts::WGSplatFragLayout{})
                           : reducedLayout(source.layout, source.shape, axes);
    if (!plan || !layout)
      return op->emitError(text("an array of shape ", layouts::tupleText(source.shape), " in the layout `",
                                layouts::jaxText(source.layout),
                                "` cannot be reduced over these axes; convert it with `layout_cast` to a tiled one"));
    result.layout = *layout;
    result.registers = Reduction(k, *combiner, *plan, element).run(source.registers);
  }
  if (!isNeutral(reduction.getKind(), reduction.getAcc())) {
    if (complete) {
      result.registers.front() = combined(k.t, *combiner, k.scalar(reduction.getAcc()), result.registers.front());
    } else {
      RegisterArray start = k.array(reduction.getAcc(), result.layout);
      if (result.isSplat() && !start.isSplat()) {
        result.registers.assign(start.registers.size(),
                                k.t.splat(result.registers.front(), KernelLowering::vectorLength(start.layout)));
        result.layout = start.layout;
      }
      for (auto [mine, first] : llvm::zip_equal(result.registers, start.registers))
        mine = combined(k.t, *combiner, first, mine);
    }
  }
  if (complete)
    k.set(reduction.getDest(), result.registers.front());
  else
    k.set(reduction.getDest(), std::move(result));
  return success();
}

} // namespace

Value shuffled(ThreadBuilder &t, Value value, int lanes) {
  Type type = value.getType();
  int64_t bits = ThreadBuilder::countOf(type) * ThreadBuilder::elementOf(type).getIntOrFloatBitWidth();
  if (bits < 32) {
    Value word = t.create<LLVM::BitcastOp>(t.builder().getIntegerType(bits), value);
    Value moved = t.resize(t.shuffleXor(t.resize(word, 32), lanes), bits);
    return t.create<LLVM::BitcastOp>(type, moved);
  }
  Type words = ThreadBuilder::vectorOf(t.i32(), bits / 32);
  Value word = words == type ? value : t.create<LLVM::BitcastOp>(words, value);
  SmallVector<Value> parts;
  for (int64_t i = 0; i < bits / 32; ++i)
    parts.push_back(t.shuffleXor(t.extract(word, i), lanes));
  Value moved = t.concatenate(parts);
  return words == type ? moved : t.create<LLVM::BitcastOp>(type, moved);
}

Value KernelLowering::reductionScratch() {
  return t.address(smem, warpgroups == 1 ? Value() : t.multiply(warpgroup, reductionBytes), reductionOffset);
}

int64_t KernelLowering::findReductionBytes() {
  int64_t most = 0;
  source.walk([&](vector::MultiDimReductionOp op) {
    auto type = cast<VectorType>(op.getSource().getType());
    auto layout = operandLayout(op, 0);
    if (!layout || !type.getElementType().isIntOrFloat())
      return;
    auto plan = planOf(*layout, Shape(type.getShape().begin(), type.getShape().end()), axesOf(op));
    if (!plan || plan->bitsOf(plan->layout.warpDims()) == 0)
      return;
    int64_t elementBytes = std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
    most = std::max(most, stepBytes(*plan, elementBytes) * stepsPerRound(*plan, elementBytes));
  });
  return most;
}

void addReductions(HandlerTable &table) { table["vector.multi_reduction"] = reduce; }

} // namespace lanescope::core
