#include "tests/unit/compiler/TensorSupport.h"
#include "tests/unit/compiler/KernelText.h"

#include "core/gpu/codegen/Assembler.h"
#include "core/gpu/emulator/EmulatorDevice.h"
#include "layouts/Catalogue.h"

#include <gtest/gtest.h>

namespace lanescope::core::testing {

using layouts::Dtype;
using layouts::Shape;
namespace catalogue = layouts::catalogue;

namespace {

constexpr std::string_view kArch = "sm_100a";

SmemTransforms swizzled(Dtype dtype, int swizzle) {
  return {.tiling = Shape{8, swizzle * 8 / layouts::bitwidth(dtype)}, .swizzle = swizzle};
}

class Builder {
public:
  explicit Builder(const Product &p) : p_(p), ctas_(p.collective ? 2 : 1) {}

  Result<KernelModule> build() {
    frame_.name = "product";
    frame_.target = findGpuTarget(kArch);
    if (p_.collective)
      frame_.cluster = frame_.grid = {2, 1, 1};
    int64_t depth = p_.sparse ? p_.k / 2 : p_.k, columns = p_.n * ctas_;
    Shape a{p_.m, depth}, b{p_.k, p_.n};
    if (p_.transposeA)
      std::swap(a[0], a[1]);
    if (p_.transposeB)
      std::swap(b[0], b[1]);
    input("a", p_.dtype, a, p_.transposeA ? 1 : 0,
          p_.leftInTensor ? SmemTransforms() : swizzled(p_.dtype, p_.swizzleA));
    input("b", p_.other, b, p_.transposeB ? 0 : 1, swizzled(p_.other, p_.swizzleB));
    if (p_.scale) {
      int64_t count = p_.k / p_.block;
      input("sa", *p_.scale, {1, count / 4, 32, 16}, 0, {});
      bool halves = p_.collective && p_.m == 64;
      int64_t tiles = (columns + 127) / 128;
      input("sb", *p_.scale, halves ? Shape{1, count / 4, 64, 16} : Shape{tiles, count / 4, 32, 16}, std::nullopt, {});
    }
    int64_t group = layouts::bitwidth(p_.dtype) == 4 ? 8 : 4;
    if (p_.sparse)
      input("meta", Dtype::U2, {1, 2 * p_.k / group / 64, 128, 64}, 0, {});
    frame_.arguments.push_back({"out", ArgumentKind::Out, p_.sum, {p_.m * ctas_, columns}, {}});

    tensor("sum", p_.sum, {p_.m, columns}, catalogue::inferTmem({p_.m, columns}, p_.collective));
    if (p_.leftInTensor)
      tensor("left", p_.dtype, {p_.m, depth},
             catalogue::inferTmem({p_.m, depth}, p_.collective, 32 / layouts::bitwidth(p_.dtype)));
    if (p_.scale) {
      int64_t count = p_.k / p_.block;
      tensor("left scales", *p_.scale, {128, count}, catalogue::scales());
      bool halves = p_.collective && p_.m == 64;
      tensor("right scales", *p_.scale, {halves ? 256 : (columns + 127) / 128 * 128, count},
             halves ? catalogue::bScalesM64Collective() : catalogue::scales());
    }
    if (p_.sparse)
      tensor("metadata", Dtype::U2, {128, 2 * p_.k / group}, catalogue::sparseMeta());
    auto loads = static_cast<int64_t>(frame_.buffers.size());
    frame_.barriers = {{.name = "loaded", .arrivals = loads, .span = {}},
                       {.name = "done", .span = {}, .ordersTensorCore = true}};
    if (p_.collective)
      frame_.barriers.push_back({.name = "both", .span = {}, .collective = {{{0}}}, .ordersTensorCore = true});

    auto made = GpuBuilder::make(compiler().context(), frame_);
    if (!made)
      return std::unexpected(std::move(made.error()));
    emit(**made);
    return (*made)->finish();
  }

private:
  /// Each block of a pair has its part of the array along dimension `split`, or all of the array if there is no
  /// `split`.
  void input(std::string name, Dtype dtype, Shape shape, std::optional<size_t> split, SmemTransforms transforms) {
    frame_.arguments.push_back({name, ArgumentKind::In, dtype, shape, {}});
    if (split)
      frame_.arguments.back().shape[*split] *= ctas_;
    splits_.push_back(split);
    frame_.buffers.push_back({name, dtype, std::move(shape), std::move(transforms), {}});
  }

  void tensor(std::string name, Dtype dtype, Shape shape, const Result<layouts::TMEMLayout> &layout) {
    if (layout)
      frame_.tensorBuffers.push_back({std::move(name), dtype, std::move(shape), {*layout, p_.collective}, {}});
  }

  /// This block's part of an array in global memory.
  std::vector<SliceDim> mine(GpuBuilder &b, const Shape &shape, std::optional<size_t> split) {
    std::vector<SliceDim> dims;
    for (int64_t size : shape)
      dims.push_back({int64_t{0}, size, true});
    if (split && ctas_ > 1) {
      SliceDim &dim = dims[*split];
      dim.start = b.binary(BinaryKind::Multiply, b.programId(0), b.constant(Dtype::I32, {}, dim.length));
    }
    return dims;
  }

  void emit(GpuBuilder &b) {
    std::optional<int64_t> collective = p_.collective ? std::optional<int64_t>(0) : std::nullopt;
    for (size_t i = 0; i < frame_.buffers.size(); ++i)
      b.asyncLoad(b.argument(i), mine(b, frame_.buffers[i].shape, splits_[i]), b.buffer(i), {0, int64_t{0}}, {});
    b.wait({0, int64_t{0}});
    size_t buffer = 2, place = 1;
    IrRef sum = b.tensorBuffer(0), left = b.buffer(0), right = b.buffer(1);
    if (p_.transposeA)
      left = b.transpose(left, {1, 0});
    if (p_.transposeB)
      right = b.transpose(right, {1, 0});
    if (p_.leftInTensor) {
      IrRef to = b.tensorBuffer(place++);
      b.asyncStoreTmem(b.load(left, std::nullopt), to);
      b.commitTmem();
      left = to;
    }
    if (p_.accumulate) {
      Shape shape = sum.shape;
      b.asyncStoreTmem(
          layouts::isFloat(p_.sum) ? b.constant(p_.sum, shape, 1.0) : b.constant(p_.sum, shape, int64_t{1}), sum);
      b.commitTmem();
    }
    if (p_.collective) { // each block has its own part
      b.arrive({2, int64_t{0}});
      b.wait({2, int64_t{0}});
    }
    GpuBuilder::Tcgen05Options options{.barrier = IrBarrier{1, int64_t{0}}, .collective = collective};
    if (p_.scale) {
      for (auto *scale : {&options.aScale, &options.bScale}) {
        *scale = b.tensorBuffer(place++);
        b.copyScalesToTensor(b.buffer(buffer++), **scale, collective);
      }
    }
    if (p_.sparse) {
      options.aSparseMetadata = b.tensorBuffer(place++);
      b.copySparseMetadataToTensor(b.buffer(buffer++), *options.aSparseMetadata, collective);
    }
    options.accumulate = p_.accumulate;
    if (p_.computedAccumulate)
      options.accumulate = b.compare(CompareKind::Greater, b.programId(0), b.constant(Dtype::I32, {}, int64_t{0}));
    b.tcgen05Mma(sum, left, right, options);
    b.wait({1, int64_t{0}});
    IrRef out = b.slice(b.argument(frame_.arguments.size() - 1), mine(b, sum.shape, 0));
    b.store(b.asyncLoadTmem(sum), out, std::nullopt);
    b.waitLoadTmem();
  }

  const Product &p_;
  int64_t ctas_;
  KernelFrame frame_;
  std::vector<std::optional<size_t>> splits_; // one for each buffer
};

/// Element (i, j) of a matrix with `columns` columns. It is small enough for all types: -3 to 3, or 0 to 6 for unsigned
/// types.
double element(Dtype dtype, int64_t i, int64_t j, int64_t columns) {
  int64_t value = ((i * columns + j) * 5 + i / 3) % 7;
  return static_cast<double>(layouts::isUnsignedInteger(dtype) ? value : value - 3);
}
/// The scale of row `i` in block `j`.
double scaleOf(Dtype dtype, int64_t i, int64_t j) {
  int64_t kind = (i + 3 * j) % 3;
  return dtype == Dtype::F8E8M0FNU ? static_cast<double>(int64_t{1} << kind) : 1.0 + 0.5 * static_cast<double>(kind);
}
/// Which two of four elements of K are stored, for row `i` in group `group`.
std::array<int, 2> kept(int64_t i, int64_t group) {
  constexpr std::array<std::array<int, 2>, 6> kPairs{{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}};
  return kPairs[static_cast<size_t>((i * 5 + group) % 6)];
}

/// The kernel's inputs and the expected output.
struct Numbers {
  std::vector<Array> inputs;
  Array out;
};

Array matrix(Dtype dtype, int64_t rows, int64_t columns, bool transposed) {
  Array array = Array::zeros(dtype, transposed ? Shape{columns, rows} : Shape{rows, columns});
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      array.setNumber(transposed ? j * rows + i : i * columns + j, element(dtype, i, j, columns));
  return array;
}

/// Scales of `rows` rows in the form that the copy expects. `halves` means 64 rows in each block of a pair.
Array storedScales(Dtype dtype, int64_t rows, int64_t count, bool halves) {
  int64_t tiles = (rows + 127) / 128, groups = count / 4;
  Array array = Array::zeros(dtype, halves ? Shape{1, groups, 64, 16} : Shape{tiles, groups, 32, 16});
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < count; ++j) {
      int64_t half = i / (rows / 2), inHalf = i % (rows / 2);
      int64_t at = halves ? ((j / 4) * 64 + half * 32 + inHalf % 32) * 16 + inHalf / 32 * 4 + j % 4
                          : ((i / 128 * groups + j / 4) * 32 + i % 32) * 16 + i % 128 / 32 * 4 + j % 4;
      array.setNumber(at, scaleOf(dtype, i, j));
    }
  return array;
}

/// Metadata of `rows` rows in the order in which the tensor core reads it (PTX ISA, "Sparse matrices": "Sparsity
/// selector").
Array storedMetadata(int bits, int64_t rows, int64_t k) {
  int64_t columns = k / 2; // two of every four
  Array array = Array::zeros(Dtype::U2, {rows / 128, columns / 64, 128, 64});
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      int64_t row = i % 128, tile = i / 128 * (columns / 64) + j / 64, column = j % 64;
      int64_t at = row * 64 + column;
      if (bits == 16) { // (8, 2, 8) rows and (4, 2, 8) columns become (8, 2, 8; 4, 2, 8) with the middle ones exchanged
        int64_t rowGroup = row / 16, rowHalf = row / 8 % 2, rowIn = row % 8;
        int64_t part = column / 16, columnHalf = column / 8 % 2, columnIn = column % 8;
        at = ((((rowGroup * 2 + columnHalf) * 8 + rowIn) * 4 + part) * 2 + rowHalf) * 8 + columnIn;
      }
      array.setInteger(tile * 128 * 64 + at, kept(i, j / 2)[static_cast<size_t>(j % 2)]);
    }
  return array;
}

Numbers numbersOf(const Product &p) {
  int64_t ctas = p.collective ? 2 : 1, rows = p.m * ctas, columns = p.n * ctas, depth = p.sparse ? p.k / 2 : p.k;
  Numbers n;
  n.inputs = {matrix(p.dtype, rows, depth, p.transposeA), matrix(p.other, p.k, columns, p.transposeB)};
  if (p.scale) {
    Array left = Array::zeros(*p.scale, {ctas, p.k / p.block / 4, 32, 16});
    for (int64_t block = 0; block < ctas; ++block) { // each block stores its own rows, the first ones first
      Array one = Array::zeros(*p.scale, {1, p.k / p.block / 4, 32, 16});
      for (int64_t i = 0; i < p.m; ++i)
        for (int64_t j = 0; j < p.k / p.block; ++j)
          one.setNumber((j / 4 * 32 + i % 32) * 16 + i / 32 * 4 + j % 4, scaleOf(*p.scale, block * p.m + i, j));
      std::copy(one.bytes.begin(), one.bytes.end(), left.bytes.begin() + block * one.size());
    }
    n.inputs.push_back(std::move(left));
    n.inputs.push_back(storedScales(*p.scale, columns, p.k / p.block, p.collective && p.m == 64));
  }
  if (p.sparse)
    n.inputs.push_back(storedMetadata(layouts::bitwidth(p.dtype), rows, p.k));
  n.out = Array::zeros(p.sum, {rows, columns});
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      double sum = p.accumulate ? 1 : 0;
      for (int64_t at = 0; at < depth; ++at) {
        int64_t k = p.sparse ? at / 2 * 4 + kept(i, at / 2)[static_cast<size_t>(at % 2)] : at;
        double product = element(p.dtype, i, at, depth) * element(p.other, k, j, columns);
        if (p.scale)
          product *= scaleOf(*p.scale, i, k / p.block) * scaleOf(*p.scale, j, k / p.block);
        sum += product;
      }
      n.out.setNumber(i * columns + j, sum);
    }
  n.inputs.push_back(Array::zeros(p.sum, n.out.shape));
  return n;
}

} // namespace

Result<KernelModule> moduleOf(const Product &product) { return Builder(product).build(); }

Result<CompiledKernel> compiled(KernelModule module, std::string_view arch) {
  KernelStages stages = compiler().compile(std::move(module), {.arch = std::string(arch)});
  if (!stages.kernel)
    return std::unexpected(std::move(stages.diagnostics));
  if (auto cubin = assemble(stages.kernel->ptx, arch); !cubin && cubin.error().front().kind != "no-ptxas") {
    ADD_FAILURE() << stages.kernel->ptx;
    return std::unexpected(std::move(cubin.error()));
  }
  return *stages.kernel;
}

Result<CompiledKernel> compiled(const Product &product) {
  auto module = moduleOf(product);
  if (!module)
    return std::unexpected(std::move(module.error()));
  return compiled(*std::move(module));
}

std::vector<Array> ran(const CompiledKernel &kernel, const std::vector<Array> &inputs) {
  static std::unique_ptr<Device> device = makeEmulatorDevice();
  auto result = device->run(kernel, inputs, {});
  if (!result) {
    ADD_FAILURE() << render(result.error()) << kernel.ptx;
    return {};
  }
  EXPECT_TRUE(result->diagnostics.empty()) << render(result->diagnostics) << kernel.ptx;
  return result->outputs;
}

void expectProduct(const Product &product) {
  auto kernel = compiled(product);
  ASSERT_TRUE(kernel) << render(kernel.error());
  Numbers numbers = numbersOf(product);
  std::vector<Array> outputs = ran(*kernel, numbers.inputs);
  ASSERT_FALSE(outputs.empty());
  expectEqual(outputs.front(), numbers.out);
}

std::string refusal(const Product &product) {
  auto kernel = compiled(product);
  if (kernel)
    return "";
  std::string message;
  for (const Diagnostic &diagnostic : kernel.error())
    if (diagnostic.severity == Severity::Error)
      message += (message.empty() ? "" : "; ") + diagnostic.message;
  return message;
}

} // namespace lanescope::core::testing
