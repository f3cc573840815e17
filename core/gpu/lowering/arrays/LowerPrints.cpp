// print_layout, which prints at compile time, and debug_print, which prints at run time.
//
// debug_print calls vprintf, like CUDA's printf. Every thread prints one line per element that it holds, starting with
// the element's coordinates; the first thread of the warpgroup (or warp) prints scalars.
#include "core/gpu/inference/LayoutsInModule.h"
#include "core/gpu/ir/MosaicGpu.h"
#include "core/gpu/ir/WarpOps.h"
#include "core/gpu/lowering/memory/Transfer.h"

#include "layouts/support/Text.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

namespace lanescope::core {

using namespace mlir;

namespace {

/// By default the device keeps 1 MB of printed records, and one of ours takes under 100 bytes.
constexpr int64_t kMaxPrintedElements = 8192;

/// Returns the format with each `{}` replaced by a field, and `{{` and `}}` by a brace. Fields without a `{}` are
/// appended.
std::string filled(StringRef format, ArrayRef<std::string> fields) {
  std::string out;
  size_t next = 0;
  for (size_t i = 0; i < format.size(); ++i) {
    StringRef rest = format.substr(i);
    if (rest.starts_with("{}") && next < fields.size()) {
      out += fields[next++];
      ++i;
    } else if (rest.starts_with("{{") || rest.starts_with("}}")) {
      out += format[i++];
    } else {
      out += format[i];
    }
  }
  for (; next < fields.size(); ++next)
    out += (out.empty() ? "" : " ") + fields[next];
  return out;
}

LogicalResult printLayout(KernelLowering &k, Operation *op) {
  auto print = cast<mosaic_gpu::PrintLayoutOp>(op);
  std::string layout;
  if (auto type = dyn_cast<MemRefType>(print.getValue().getType()); type && isTensorMemory(type)) {
    layout = layouts::jaxText(*k.tensor(print.getValue()).layout);
  } else if (type) {
    auto list = op->getAttrOfType<ArrayAttr>(kInTransforms);
    auto transforms = list && !list.empty() ? toTransforms(dyn_cast<ArrayAttr>(list[0])) : SmemTransforms{};
    layout = transforms ? jaxText(*transforms) : "[]";
  } else {
    layout = layouts::jaxText(k.array(print.getValue()).layout);
  }
  op->emitRemark(filled(print.getFormat(), layout));
  return success();
}

/// The declaration of vprintf, created once per module.
LLVM::LLVMFuncOp printFunction(KernelLowering &k) {
  auto module = k.target->getParentOfType<ModuleOp>();
  if (auto found = module.lookupSymbol<LLVM::LLVMFuncOp>("vprintf"))
    return found;
  OpBuilder::InsertionGuard guard(k.t.builder());
  k.t.builder().setInsertionPointToStart(module.getBody());
  auto type = LLVM::LLVMFunctionType::get(k.t.i32(), {k.t.pointer(), k.t.pointer()});
  return k.t.create<LLVM::LLVMFuncOp>("vprintf", type);
}

Value formatPointer(KernelLowering &k, std::string text) {
  text.push_back('\0');
  auto module = k.target->getParentOfType<ModuleOp>();
  ThreadBuilder &t = k.t;
  LLVM::GlobalOp global;
  {
    OpBuilder::InsertionGuard guard(t.builder());
    t.builder().setInsertionPointToStart(module.getBody());
    int number = 0;
    while (module.lookupSymbol(lanescope::text("lanescope_format_", number)))
      ++number;
    auto type = LLVM::LLVMArrayType::get(t.builder().getI8Type(), text.size());
    global = t.create<LLVM::GlobalOp>(type, /*isConstant=*/true, LLVM::Linkage::Internal,
                                      lanescope::text("lanescope_format_", number), t.builder().getStringAttr(text),
                                      /*alignment=*/1, kGlobalSpace);
  }
  return t.create<LLVM::AddrSpaceCastOp>(t.pointer(), t.create<LLVM::AddressOfOp>(global));
}

/// Promotes a value as C's variadic calls do: floats to f64, small integers to i32.
Value promoted(ThreadBuilder &t, Value value) {
  Type type = value.getType();
  if (auto integer = dyn_cast<IntegerType>(type)) {
    if (integer.getWidth() == 1)
      return t.resize(value, 32);
    return integer.getWidth() < 32 ? t.create<LLVM::SExtOp>(t.i32(), value).getResult() : value;
  }
  return type.isF64() ? value : t.create<LLVM::FPExtOp>(t.builder().getF64Type(), value).getResult();
}

const char *conversionOf(Type promotedType) {
  return isa<FloatType>(promotedType) ? "%g" : promotedType.getIntOrFloatBitWidth() == 64 ? "%lld" : "%d";
}

/// Calls vprintf with the arguments in a stack buffer, each aligned to its size.
void printf(KernelLowering &k, const std::string &format, ArrayRef<Value> arguments) {
  ThreadBuilder &t = k.t;
  SmallVector<Type> types;
  for (Value argument : arguments)
    types.push_back(argument.getType());
  Value buffer;
  if (types.empty()) {
    buffer = t.create<LLVM::ZeroOp>(t.pointer());
  } else {
    auto type = LLVM::LLVMStructType::getLiteral(t.context(), types);
    buffer = t.slot(type);
    for (auto [i, argument] : llvm::enumerate(arguments))
      t.store(
          argument,
          t.create<LLVM::GEPOp>(t.pointer(), type, buffer, ArrayRef<LLVM::GEPArg>{int32_t{0}, static_cast<int32_t>(i)}),
          argument.getType().getIntOrFloatBitWidth() / 8);
  }
  LLVM::LLVMFuncOp function = printFunction(k);
  t.create<LLVM::CallOp>(function, ValueRange{formatPointer(k, format), buffer});
}

/// Escapes text for use in a printf format.
std::string literal(StringRef text) {
  std::string out;
  for (char c : text)
    out += c == '%' ? std::string("%%") : std::string(1, c);
  return out;
}

/// Makes a line of a printf format: replaces each `{}` by a conversion.
std::string withConversions(StringRef format, ArrayRef<std::string> conversions) {
  return filled(literal(format), conversions) + "\n";
}

LogicalResult printArray(KernelLowering &k, Operation *op, StringRef format, const RegisterArray &array) {
  ThreadBuilder &t = k.t;
  auto strides = layouts::contiguousStrides(array.shape);
  std::vector<std::vector<RefDim>> axes; // one coordinate each
  for (size_t d = 0; d < array.shape.size(); ++d) {
    std::vector<RefDim> dims;
    for (size_t e = 0; e < array.shape.size(); ++e)
      dims.push_back({{array.shape[e]}, {e == d ? 1 : 0}});
    axes.push_back(std::move(dims));
  }
  std::vector<OffsetPattern> patterns;
  for (const auto &dims : axes) {
    auto pattern = offsetsOf(k, op, dims, array.layout);
    if (failed(pattern))
      return failure();
    patterns.push_back(std::move(*pattern));
  }
  int64_t length = KernelLowering::vectorLength(array.layout);
  for (size_t r = 0; r < array.registers.size(); ++r)
    for (int64_t v = 0; v < length; ++v) {
      SmallVector<Value> arguments;
      std::string coordinates = "[";
      for (size_t d = 0; d < patterns.size(); ++d) {
        const OffsetPattern &pattern = patterns[d];
        const RegisterOffset &reg = pattern.registers[r * pattern.entriesPerRegister + v / pattern.positions.size()];
        int64_t known = reg.known + pattern.positions[v % pattern.positions.size()];
        Value n = pattern.thread(t, 32);
        if (reg.computed)
          n = t.add(n, t.resize(reg.computed, 32));
        arguments.push_back(n ? t.add(n, known) : t.constant(known));
        coordinates += d ? ", %d" : "%d";
      }
      arguments.push_back(promoted(t, t.extract(array.registers[r], v)));
      printf(k, withConversions(format, coordinates + "]: " + conversionOf(arguments.back().getType())), arguments);
    }
  return success();
}

LogicalResult debugPrint(KernelLowering &k, Operation *op) {
  auto print = cast<mosaic_gpu::DebugPrintOp>(op);
  ThreadBuilder &t = k.t;
  SmallVector<Value> scalars;
  const RegisterArray *array = nullptr;
  for (Value value : print.getValues()) {
    if (!k.isArray(value)) {
      scalars.push_back(promoted(t, k.scalar(value)));
    } else if (k.array(value).isSplat()) {
      scalars.push_back(promoted(t, k.array(value).registers.front()));
    } else if (print.getValues().size() == 1) {
      array = &k.array(value);
    } else {
      return op->emitError("`debug_print` takes one array alone, or any number of scalars");
    }
  }
  if (array) {
    int64_t count = layouts::elementCount(array->shape);
    if (count > kMaxPrintedElements)
      return op->emitError(text("`debug_print` writes one line per element, and this array has ", count,
                                "; print at most ", kMaxPrintedElements,
                                ", or store the array and look at the output"));
    return printArray(k, op, print.getFormat(), *array);
  }
  SmallVector<std::string> conversions;
  for (Value scalar : scalars)
    conversions.push_back(conversionOf(scalar.getType()));
  k.when(t.compare(LLVM::ICmpPredicate::eq, k.inWarps ? k.lane : k.thread, 0),
         [&] { printf(k, withConversions(print.getFormat(), conversions), scalars); });
  return success();
}

LogicalResult endUnless(KernelLowering &k, Value condition, StringRef message) {
  ThreadBuilder &t = k.t;
  Value fails = t.bitXor(k.scalar(condition), 1);
  bool unsynced = k.unsyncedStores;
  k.when(fails, [&] {
    auto say = [&] { printf(k, literal(message) + "\n", {}); };
    if (k.byOneThread) {
      say();
    } else {
      k.when(t.compare(LLVM::ICmpPredicate::eq, k.inWarps ? k.lane : k.thread, 0), say);
      k.warpgroupBarrier(); // the message is printed before any thread ends the kernel
    }
    t.ptx("trap;", "", {});
  });
  k.unsyncedStores = unsynced;
  return success();
}

LogicalResult check(KernelLowering &k, Operation *op) {
  auto check = cast<statements::CheckOp>(op);
  return endUnless(k, check.getCondition(), check.getMessage());
}

/// Lowers `pl.debug_check` of Pallas.
LogicalResult assertion(KernelLowering &k, Operation *op) {
  auto assertion = cast<cf::AssertOp>(op);
  return endUnless(k, assertion.getArg(), assertion.getMsg());
}

} // namespace

void addPrints(HandlerTable &table) {
  table["mosaic_gpu.print_layout"] = printLayout;
  table["mosaic_gpu.debug_print"] = debugPrint;
  table["lanescope.check"] = check;
  table["cf.assert"] = assertion;
}

} // namespace lanescope::core
