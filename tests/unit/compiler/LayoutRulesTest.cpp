// The layout rules of operations as data. Every operation that kernels contain has some.
#include "core/gpu/ir/LayoutRules.h"
#include "core/gpu/ir/Context.h"
#include "core/gpu/ir/MosaicGpu.h"
#include "core/gpu/lowering/Handlers.h"

#include "layouts/Catalogue.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace lanescope::core {
namespace {

/// The layout rules of the operations in a function body with the arguments %x: memref<64x64xf16> and %s in shared
/// memory.
struct Rules {
  explicit Rules(const std::string &body) {
    module = mlir::parseSourceString<mlir::ModuleOp>(
        "func.func @f(%x: memref<64x64xf16>, %s: memref<64x64xf16, #gpu.address_space<workgroup>>) {\n" + body +
            "\n  return\n}\n",
        context.get());
    EXPECT_TRUE(module);
    module->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) { rules.ask(op); });
  }
  /// The rules of the operation with this name.
  template <typename Rule> std::vector<Rule> of(const char *name) const {
    std::vector<Rule> out;
    for (const LayoutRules::Entry &entry : rules.entries())
      if (auto *rule = std::get_if<Rule>(&entry.rule); rule && entry.op->getName().getStringRef() == name)
        out.push_back(*rule);
    return out;
  }
  std::shared_ptr<mlir::MLIRContext> context = makeMlirContext();
  mlir::OwningOpRef<mlir::ModuleOp> module;
  LayoutRules rules;
};

constexpr char kLoad[] = "  %a = \"mosaic_gpu.vector_load\"(%x) : (memref<64x64xf16>) -> vector<64x64xf16>\n";

TEST(LayoutRules, SayWhatAnInstructionDemands) {
  Rules rules(std::string(kLoad) + R"(
  %c = arith.constant dense<0.0> : vector<64x64xf32>
  %r = mosaic_gpu.wgmma accumulator(%c : vector<64x64xf32>) a(%a : vector<64x64xf16>)
       b(%s : memref<64x64xf16, #gpu.address_space<workgroup>>) -> vector<64x64xf32>)");
  auto demands = rules.of<rule::OneOf>("mosaic_gpu.wgmma");
  ASSERT_EQ(demands.size(), 2u); // the matrix in shared memory is not an array
  EXPECT_EQ(demands[0].site.use, nullptr);
  EXPECT_EQ(demands[0].layouts, std::vector<layouts::RegisterLayout>{layouts::catalogue::wgmma()});
  EXPECT_EQ(demands[0].what, "the accumulator of `wgmma`");
  EXPECT_EQ(demands[1].site.use->getOperandNumber(), 1u);
  auto equal = rules.of<rule::Equal>("mosaic_gpu.wgmma");
  ASSERT_EQ(equal.size(), 1u);
  EXPECT_EQ(equal[0].sites.size(), 2u);
  EXPECT_EQ(rules.of<rule::Splat>("arith.constant").size(), 1u);
  EXPECT_EQ(rules.of<rule::Transfer>("mosaic_gpu.vector_load").size(), 1u);
  EXPECT_EQ(rules.of<rule::NotSplat>("mosaic_gpu.vector_load").size(), 1u);
}

TEST(LayoutRules, SayWhatFollowsFromWhat) {
  Rules rules(std::string(kLoad) + R"(
  %b = mosaic_gpu.broadcast_in_dim(%a : vector<64x64xf16>) {broadcast_dimensions = array<i64: 0, 2>} -> vector<64x8x64xf16>
  %t = memref.transpose %s (i, j) -> (j, i) : memref<64x64xf16, #gpu.address_space<workgroup>>
       to memref<64x64xf16, strided<[1, 64]>, #gpu.address_space<workgroup>>
  %half = vector.extract_strided_slice %a {offsets = [0, 0], sizes = [64, 32], strides = [1, 1]}
       : vector<64x64xf16> to vector<64x32xf16>
  %e = arith.extf %a : vector<64x64xf16> to vector<64x64xf32>)");
  auto repeated = rules.of<rule::Reduced>("mosaic_gpu.broadcast_in_dim");
  ASSERT_EQ(repeated.size(), 1u);
  EXPECT_TRUE(repeated[0].repeats);
  EXPECT_EQ(repeated[0].axes, std::vector<int64_t>{1});
  EXPECT_NE(repeated[0].small.use, nullptr);
  auto transposed = rules.of<rule::Transposed>("memref.transpose");
  ASSERT_EQ(transposed.size(), 1u);
  EXPECT_EQ(transposed[0].permutation, (llvm::SmallVector<unsigned, 4>{1, 0}));
  auto part = rules.of<rule::Part>("vector.extract_strided_slice");
  ASSERT_EQ(part.size(), 1u);
  EXPECT_NE(part[0].whole.use, nullptr);
  EXPECT_EQ(rules.of<rule::Equal>("arith.extf").front().sites.size(), 2u);
}

/// Rules do not constrain numbers: `equalAll` leaves them out.
TEST(LayoutRules, PassOverNumbers) {
  Rules rules("  %c = arith.constant 1 : i32\n  %d = arith.addi %c, %c : i32");
  EXPECT_TRUE(rules.rules.entries().empty());
}

TEST(LayoutRules, EveryOperationOfMlirThatIsLoweredHasSome) {
  auto context = makeMlirContext();
  int seen = 0;
  for (const auto &handler : handlers()) {
    auto name = mlir::RegisteredOperationName::lookup(handler.getKey(), context.get());
    ASSERT_TRUE(name) << handler.getKey().str() << " is no operation";
    if (llvm::is_contained({"arith", "math", "memref", "scf", "ub", "vector"}, name->getDialectNamespace())) {
      EXPECT_TRUE(name->hasInterface<LayoutRulesOpInterface>()) << handler.getKey().str();
      ++seen;
    }
  }
  EXPECT_GT(seen, 60);
}

} // namespace
} // namespace lanescope::core
