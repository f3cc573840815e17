// core/build without the GPU part: the test has its own target, which computes 8 elements at once.
#include "core/build/BuilderImpl.h"
#include "core/gpu/ir/Context.h"

#include <gtest/gtest.h>

namespace lanescope::core {
namespace {

using layouts::Dtype;
using layouts::Shape;

class LaneBuilder final : public KernelBuilder {
public:
  struct Impl final : KernelBuilder::Impl {
    Impl() : KernelBuilder::Impl(makeMlirContext(), /*elementsAtOnce=*/8) {
      module = mlir::ModuleOp::create(location);
      builder.setInsertionPointToEnd(module->getBody());
    }
    std::function<void()> checkpoint() override {
      return [this, kept = memory] { memory = kept; };
    }
    int64_t memory = 0;
  };
  LaneBuilder() : LaneBuilder(new Impl) {}
  using KernelBuilder::takeModule;
  int64_t &memory() { return impl_->memory; }

  IrValue iota(Dtype dtype, const Shape &shape, int64_t) override { return constant(dtype, shape, int64_t{0}); }
  IrValue broadcastInDim(const IrValue &value, const Shape &shape, const std::vector<int64_t> &) override {
    return splat(value, shape);
  }
  IrValue concatenate(const std::vector<IrValue> &values, int64_t) override { return values.front(); }
  std::vector<IrValue> optimizationBarrier(const std::vector<IrValue> &values) override { return values; }
  void check(const IrValue &, const std::string &) override {}
  void regionBegin(const std::string &) override {}
  void regionEnd(const std::string &) override {}
  void debugPrint(const std::string &, const std::vector<IrValue> &) override {}

private:
  explicit LaneBuilder(Impl *impl) : KernelBuilder(std::unique_ptr<KernelBuilder::Impl>(impl)), impl_(impl) {}
  Impl *impl_;
};

TEST(NeutralBuilder, ValuesAndControlFlowNeedNoGpu) {
  LaneBuilder builder;
  SourceRef source = Source::make("k.py", "x = 1\ny = 2\n");
  builder.setPlace({source, 6, 11});
  IrValue zero = builder.constant(Dtype::I32, {}, int64_t{0}), four = builder.constant(Dtype::I32, {}, int64_t{4});
  IrValue one = builder.constant(Dtype::I32, {}, int64_t{1}), x = builder.constant(Dtype::F32, {16}, 1.5);
  auto sum = builder.forLoop(zero, four, one, {x},
                             [&](const IrValue &index, const auto &carried) -> Result<KernelBuilder::MaybeValues> {
                               IrValue step = builder.splat(builder.cast(index, Dtype::F32), {16});
                               return KernelBuilder::Values{builder.binary(BinaryKind::Add, carried[0], step)};
                             });
  ASSERT_TRUE(sum && *sum);
  IrValue total = builder.reduce(ReduceKind::Sum, (**sum)[0], {0});
  EXPECT_TRUE(total.isScalar());
  auto chosen = builder.ifElse(
      builder.compare(CompareKind::Less, total, builder.constant(Dtype::F32, {}, 0.0)),
      []() -> Result<void> { return {}; }, []() -> Result<void> { return {}; },
      [&](bool branch) -> Result<KernelBuilder::Values> {
        return KernelBuilder::Values{branch ? total : builder.math(MathKind::Sqrt, total, false)};
      });
  ASSERT_TRUE(chosen);
  auto module = builder.takeModule();
  ASSERT_TRUE(module) << render(module.error());
  EXPECT_EQ(module->impl().sources, std::vector<SourceRef>{source});
}

TEST(NeutralBuilder, InstructionsAreCountedByWhatTheTargetComputesAtOnce) {
  LaneBuilder builder;
  builder.constant(Dtype::F32, {64}, 0.0);
  EXPECT_EQ(builder.emitted(), 1 + 64 / 8);
}

TEST(NeutralBuilder, ADroppedConstructPutsBackWhatTheTargetKept) {
  LaneBuilder builder;
  IrValue zero = builder.constant(Dtype::I32, {}, int64_t{0}), one = builder.constant(Dtype::I32, {}, int64_t{1});
  builder.memory() = 64;
  auto dropped =
      builder.forLoop(zero, one, one, {}, [&](const IrValue &, const auto &) -> Result<KernelBuilder::MaybeValues> {
        builder.memory() = 128;
        return KernelBuilder::MaybeValues();
      });
  ASSERT_TRUE(dropped);
  EXPECT_FALSE(*dropped);
  EXPECT_EQ(builder.memory(), 64);
}

} // namespace
} // namespace lanescope::core
