// Planted mistakes about tensor memory and `tcgen05_mma`. Each is reported at its place, in the words of the snippet
// language, before lowering starts.
#include "Tcgen05Support.h"

namespace lanescope::repl {
namespace {

struct Mistake {
  std::string kind, place, message; // `message` is a part of the message
  std::string text;
};

void PrintTo(const Mistake &mistake, std::ostream *out) { *out << mistake.message; }

class TmemMistake : public ::testing::TestWithParam<Mistake> {};

// inventory: TM mixed_tmem_allocations_raise, TM raises_error_if_tmem_oom,
// TM raises_error_if_collective_tmem_without_cluster, PT mixed_tmem_allocations_raise, PT transposed_tmem_ref_raises,
// TM store_tmem_sparse_meta_layout_raises, TM load_tmem_sparse_meta_layout_raises
TEST_P(TmemMistake, IsReportedAtItsPlace) {
  const Mistake &wanted = GetParam();
  expectMistake(wanted.text, wanted.kind, wanted.place, wanted.message);
}

/// A kernel with tensor memory `t`, which `spec` declares at line 1, column 18, and with this body from line 3 on.
std::string with(const std::string &spec, const std::string &body = "  pass\n", const std::string &cluster = "") {
  return "@kernel(scratch=[" + spec + "]" + cluster + ")\ndef k(out: Out((128,), f32), t):\n" + body + "k()\n";
}

INSTANTIATE_TEST_SUITE_P(
    Specs, TmemMistake,
    ::testing::Values(
        Mistake{"value", "1:6", "matrices, maybe several of them (2 dimensions or more", "TMEM((128,), f32)\n"},
        Mistake{"value", "1:6", "must have either 128 or 64 rows, got shape (96, 64)", "TMEM((96, 64), f32)\n"},
        Mistake{"value", "1:17", "say which, or give a `layout`", "TMEM((128, 64), f16)\n"},
        Mistake{"value", "1:17", "elements of 8 bits are stored one to a column", "TMEM((128, 64), f8e5m2)\n"},
        Mistake{"value", "1:6", "the minor dimension of shape (128, 3) must be divisible by the packing 2",
                "TMEM((128, 3), f16, packed=True)\n"},
        Mistake{"value", "1:29", "leave `packed` or `layout` out",
                "TMEM((128, 64), f16, packed=True, layout=tmem_default_layout(2))\n"},
        Mistake{"type", "1:29", "a layout of tensor memory such as `tmem_default_layout(2)`",
                "TMEM((128, 64), f16, layout=WGMMA)\n"},
        Mistake{"value", "1:29", "for 16-bit types, the vector length must be 1 or 2, but it is 4",
                "TMEM((128, 64), f16, layout=tmem_default_layout(4))\n"},
        Mistake{"value", "1:28", "shape (64, 64) is not divisible into tiles of shape (128, 2)",
                "TMEM((64, 64), f16, layout=tmem_default_layout(2))\n"},
        Mistake{"value", "1:17", "has cells of 32 bits and holds no f64", "TMEM((128, 64), f64)\n"},
        Mistake{"value", "1:17", "products read f32 as tf32", "TMEM((128, 64), tf32)\n"},
        Mistake{"value", "1:6", "multiple of 16", "TMEM((64, 24), f32)\n"},
        Mistake{"arguments", "1:22", "has no argument `transforms`", "TMEM((128, 64), f32, transforms=())\n"},
        Mistake{"value", "1:18", "give it `cluster=(2,)`", with("TMEM((128, 64), f32, collective=True)")},
        Mistake{"value", "1:58", "is all collective or not at all: `t[1]` is not, and `t[0]` is",
                with("(TMEM((128, 64), f32, collective=True), TMEM((128, 64), f32))", "  pass\n", ", cluster=(2,)")},
        Mistake{"value", "3:19", "is all collective or not at all",
                with("TMEM((128, 64), f32, collective=True)",
                     "  with run_scoped(TMEM((128, 64), f32)) as s:\n    pass\n", ", cluster=(2,)")},
        Mistake{"type", "1:46", "they are `SMEM(…)` all, or `TMEM(…)` all",
                with("Union(TMEM((128, 64), f32), SMEM((8,), f32))")},
        Mistake{"tensor-memory", "2:5", "needs 544 columns of tensor memory, but there are 512",
                with("(TMEM((128, 256), f32), TMEM((128, 256), f32), TMEM((128, 32), f32))")}));

TEST(TmemMistakes, OnOlderArchitectures) {
  KernelOptions hopper{.device = "emulator"};
  expectMistake(with("TMEM((128, 64), f32)"), "unsupported", "1:18",
                "sm_90a has no tensor memory, which sm_100a has; compile with `--arch sm_100a`", hopper);
  expectMistake(with("Barrier(orders_tensor_core=True)"), "unsupported", "1:18",
                "are for sm_100a, whose tensor cores arrive at them; on sm_90a wait with `wgmma_wait`", hopper);
  expectMistake(with("Barrier()", "  commit_tmem()\n"), "unsupported", "3:3", "sm_90a does not have", hopper);
  expectMistake(with("(TryClusterCancelResult(), Barrier())", "  try_cluster_cancel(*t)\n"), "unsupported", "3:3",
                "share the work out with `nd_loop`", hopper);
}

const std::string kMatrix = "TMEM((128, 64), f32)", kPacked = "TMEM((128, 64), f16, packed=True)";

INSTANTIATE_TEST_SUITE_P(
    References, TmemMistake,
    ::testing::Values(
        Mistake{"unsupported", "3:3", "is not transposed: rows are lanes", with(kMatrix, "  t.T\n")},
        Mistake{"unsupported", "3:3", "is not transposed", with(kMatrix, "  t.transpose((1, 0))\n")},
        Mistake{"unsupported", "3:3", "keeps its shape", with(kMatrix, "  t.reshape(64, 128)\n")},
        Mistake{"unsupported", "3:7", "read it with `async_load_tmem(t)`, and wait for it with `wait_load_tmem()`",
                with(kMatrix, "  x = t[...]\n")},
        Mistake{"unsupported", "3:3", "write it with `async_store_tmem(t, value)`", with(kMatrix, "  t[...] = 0\n")},
        Mistake{"type", "3:7", "read it with `async_load_tmem(t)`", with(kMatrix, "  x = t + 1\n")},
        Mistake{"type", "3:11", "read it with `async_load_tmem(t)`", with(kMatrix, "  x = exp(t)\n")},
        Mistake{"unsupported", "3:8", "columns of tensor memory are sliced, not indexed",
                with(kMatrix, "  t.at[:, 3]\n")},
        Mistake{"unsupported", "3:8", "taken with all of its rows, which are lanes", with(kMatrix, "  t.at[0:64]\n")},
        Mistake{"unsupported", "3:8", "taken with all of its rows", with(kMatrix, "  t.at[5]\n")},
        Mistake{"unsupported", "3:8", "begins at a multiple of 2 columns and has as many",
                with(kPacked, "  t.at[:, 1:33]\n")},
        Mistake{"unsupported", "3:8", "this takes 0:31", with(kPacked, "  t.at[:, :31]\n")},
        Mistake{"unsupported", "3:8", "begins at a multiple of 64 columns",
                with("TMEM((64, 64), f32)", "  t.at[:, :32]\n")},
        Mistake{"unsupported", "3:8", "2 tiles of 128 rows one beside the other",
                with("TMEM((256, 32), f32, layout=tmem_default_layout(1))", "  t.at[:, :8]\n")},
        Mistake{"unsupported", "3:8", "is taken whole, or one index of it",
                with("TMEM((4, 128, 32), f32)", "  t.at[0:2]\n")},
        Mistake{"out-of-bounds", "3:8", "slice 32:96 is outside of dimension 1 of `t`, which has size 64",
                with(kMatrix, "  t.at[:, 32:96]\n")},
        Mistake{"out-of-bounds", "3:8", "index 4 is outside of dimension 0",
                with("TMEM((4, 128, 32), f32)", "  t.at[4]\n")},
        Mistake{"no-attribute", "3:3", "no attribute `sum`; read it with `async_load_tmem(t)`",
                with(kMatrix, "  t.sum\n")}));

INSTANTIATE_TEST_SUITE_P(
    Transfers, TmemMistake,
    ::testing::Values(
        Mistake{"type", "3:19", "must be a TMEM reference", with("SMEM((128, 64), f32)", "  async_load_tmem(t)\n")},
        Mistake{"type", "3:20", "must be a TMEM reference", with("SMEM((128, 64), f32)", "  async_store_tmem(t, 0)\n")},
        Mistake{"shape-mismatch", "3:19", "is several matrices; choose one: `t.at[i]`",
                with("TMEM((4, 128, 32), f32)", "  async_load_tmem(t)\n")},
        Mistake{"unsupported", "3:19", "moves one tile of 128",
                with("TMEM((256, 32), f32, layout=tmem_default_layout(1))", "  async_load_tmem(t)\n")},
        Mistake{"shape-mismatch", "3:23", "an array of shape (128, 32) is stored to `t` of shape (128, 64)",
                with(kMatrix, "  async_store_tmem(t, broadcasted_iota(f32, (128, 32), 0))\n")},
        Mistake{"dtype-mismatch", "3:23", "convert it with `.astype(f32)`",
                with(kMatrix, "  async_store_tmem(t, broadcasted_iota(i32, (128, 64), 0))\n")},
        Mistake{"dtype-mismatch", "3:23", "a float is stored to `t` of dtype i32",
                with("TMEM((128, 64), i32)", "  async_store_tmem(t, 1.5)\n")},
        Mistake{"value", "3:29", "it is \"min\", \"max\", \"absmin\" or \"absmax\"",
                with(kMatrix, "  async_load_tmem(t, reduce=\"sum\")\n")},
        Mistake{"value", "3:29", "are reduced while they are loaded, not of f16",
                with(kPacked, "  async_load_tmem(t, reduce=\"max\")\n")},
        Mistake{"value", "3:29", "magnitudes are those of f32",
                with("TMEM((128, 64), i32)", "  async_load_tmem(t, reduce=\"absmax\")\n")},
        Mistake{"value", "3:29", "compile with `--arch sm_103a`, or load and reduce with `max(x, axis=1)`",
                with(kMatrix, "  async_load_tmem(t, reduce=\"absmax\")\n")}));

INSTANTIATE_TEST_SUITE_P(
    Metadata, TmemMistake,
    ::testing::Values(Mistake{"unsupported", "3:20", "which only the tensor core reads",
                              with("TMEM((128, 64), u2, layout=sparse_meta_layout())", "  async_store_tmem(t, 0)\n")},
                      Mistake{"unsupported", "3:19", "which only the tensor core reads",
                              with("TMEM((128, 64), u2, layout=sparse_meta_layout())", "  async_load_tmem(t)\n")}));

TEST(TmemMistakes, OfOneWarp) {
  for (const char *line : {"async_load_tmem(t)", "async_store_tmem(t, 0)", "wait_load_tmem()", "commit_tmem()"})
    expectMistake(with(kMatrix, text("  def warps():\n    ", line, "\n  core_map(WarpMesh(axis_name=\"w\"))(warps)\n")),
                  "warp-level", "4:5", "is for a whole warpgroup");
}

//===------------------------------------ products ----------------------------------------------------------------===//

/// The parts of a product; its call is in line 4.
struct Product {
  std::string acc = "TMEM((128, 64), f32)", a = "SMEM((128, 128), f16)", b = "SMEM((128, 64), f16)";
  std::string more = "", options = "accumulate=False";
  std::string left = "a", right = "b";
  std::string cluster = "";
};

std::string snippet(const Product &p) {
  return text("@kernel(scratch=[", p.acc, ", ", p.a, ", ", p.b, ", (", p.more, ")]", p.cluster,
              ")\ndef k(out: Out((128,), f32), acc, a, b, more):\n  done, step = more, out[0] > 0\n  tcgen05_mma(acc, ",
              p.left, ", ", p.right, ", ", p.options, ")\nk()\n");
}

const std::string kBarrier = "Barrier(orders_tensor_core=True)", kPair = ", cluster=(2,), cluster_names=(\"x\",)";

std::string scalesOf(int rows, int columns, const std::string &dtype = "f8e8m0fnu") {
  return text("TMEM((", rows, ", ", columns, "), ", dtype, ", layout=scales_layout())");
}

/// f8e4m3fn with block scales; `b` is stored along K.
Product scaled(const std::string &aScale, const std::string &bScale) {
  return {.a = "SMEM((128, 256), f8e4m3fn)",
          .b = "SMEM((64, 256), f8e4m3fn)",
          .more = aScale + ", " + bScale,
          .options = "accumulate=False, a_scale=more[0], b_scale=more[1]",
          .right = "b.T"};
}
Product with4Bits() {
  Product p = scaled(scalesOf(128, 8), scalesOf(128, 8));
  p.a = "SMEM((128, 256), f4e2m1fn)", p.b = "SMEM((64, 256), f4e2m1fn)";
  return p;
}
Product sparse(const std::string &metadata = "TMEM((128, 64), u2, layout=sparse_meta_layout())") {
  return {.a = "SMEM((128, 64), f16)",
          .b = "SMEM((128, 64), f16)",
          .more = metadata + ",",
          .options = "accumulate=False, a_sparse_metadata=more[0]"};
}
Product changed(Product product, const std::function<void(Product &)> &change) {
  change(product);
  return product;
}

Mistake mistake(const std::string &kind, int column, const std::string &message, const Product &product) {
  return {kind, text("4:", column), message, snippet(product)};
}

constexpr int kCall = 3, kAcc = 15, kA = 20, kB = 23, kOption = 37, kAScale = 54, kBScale = 71, kMetadata = 62;

// One case for each error of upstream's `tcgen05.mma` that the snippet language can report.
INSTANTIATE_TEST_SUITE_P(
    Products, TmemMistake,
    ::testing::Values(
        mistake("type", kAcc, "must be a TMEM reference", {.acc = "SMEM((128, 64), f32)"}),
        mistake("type", kA, "must be an SMEM or a TMEM reference", {.left = "out"}),
        mistake("type", kB, "must be an SMEM reference", {.b = "TMEM((128, 64), f16, packed=True)"}),
        mistake("shape-mismatch", kCall, "a has as many columns as b has rows", {.a = "SMEM((128, 64), f16)"}),
        mistake("shape-mismatch", kCall, "gives the shape (128, 64), and the accumulator `acc` has (128, 128)",
                {.acc = "TMEM((128, 128), f32)"}),
        mistake("shape-mismatch", kB, "`b` has shape (2, 128, 64); choose one of them: `b.at[i]`",
                {.b = "SMEM((2, 128, 64), f16)"}),
        mistake("shape-mismatch", kA, "multiplies 128 or 64 rows, and `a` has 256",
                {.acc = "TMEM((256, 64), f32, layout=tmem_default_layout(1))", .a = "SMEM((256, 128), f16)"}),
        mistake("layout", kAcc, "declare it with `packed=False`", {.acc = "TMEM((128, 64), f16, packed=True)"}),
        mistake("layout", kA,
                "has the layout tmem_default_layout(packing=2), and `a` has tmem_default_layout(packing=1)",
                {.a = "TMEM((128, 128), f16, packed=False)"}),
        mistake("unsupported", kA, "a left operand in tensor memory has 128 rows, and `a` has 64",
                {.acc = "TMEM((64, 64), f32)", .a = "TMEM((64, 128), f16, packed=True)"}),
        mistake("shape-mismatch", kB, "a product has a multiple of 8 columns, and `b` has 60",
                {.acc = "TMEM((128, 60), f32)", .b = "SMEM((128, 60), f16)"}),
        mistake("shape-mismatch", kB, "a product of integers of 64 rows has a multiple of 32 columns, and `b` has 16",
                {.acc = "TMEM((64, 16), i32)", .a = "SMEM((64, 128), i8)", .b = "SMEM((128, 16), i8)"}),
        mistake("shape-mismatch", kB, "a product of integers has a multiple of 16 columns, and `b` has 24",
                {.acc = "TMEM((128, 24), i32)", .a = "SMEM((128, 128), i8)", .b = "SMEM((128, 24), i8)"}),
        mistake("unsupported", kB, "up to 256 columns, or 512, and `b` has 384",
                {.acc = "TMEM((128, 384), f32)", .b = "SMEM((128, 384), f16)"}),
        mistake("shape-mismatch", kCall,
                "one instruction multiplies 16 of K for f16, and K = 24 is not a multiple of that",
                {.a = "SMEM((128, 24), f16)", .b = "SMEM((24, 64), f16)"})));

INSTANTIATE_TEST_SUITE_P(
    ProductTypes, TmemMistake,
    ::testing::Values(
        mistake("dtype-mismatch", kA, "does not multiply i16", {.a = "SMEM((128, 128), i16)"}),
        mistake("dtype-mismatch", kB, "`a` has dtype f16 and `b` has bf16; only f8e4m3fn and f8e5m2, and i8 and u8,",
                {.b = "SMEM((128, 64), bf16)"}),
        mistake("dtype-mismatch", kB, "`a` has dtype i8 and `b` has f8e4m3fn",
                {.acc = "TMEM((128, 64), i32)", .a = "SMEM((128, 128), i8)", .b = "SMEM((128, 64), f8e4m3fn)"}),
        mistake(
            "dtype-mismatch", kAcc, "does not sum products of bf16 in f16",
            {.acc = "TMEM((128, 64), f16, packed=False)", .a = "SMEM((128, 128), bf16)", .b = "SMEM((128, 64), bf16)"}),
        mistake("dtype-mismatch", kAcc, "does not sum products of f16 in i32", {.acc = "TMEM((128, 64), i32)"}),
        mistake("dtype-mismatch", kAcc, "does not sum products of i8 in f32",
                {.a = "SMEM((128, 128), i8)", .b = "SMEM((128, 64), i8)"}),
        mistake("dtype-mismatch", kA, "f4e2m1fn is multiplied only with block scales",
                {.a = "SMEM((128, 128), f4e2m1fn)", .b = "SMEM((128, 64), f4e2m1fn)"})));

INSTANTIATE_TEST_SUITE_P(
    ProductBarriers, TmemMistake,
    ::testing::Values(
        mistake("type", 26, "declare it with `orders_tensor_core=True`", {.more = "Barrier()", .options = "done"}),
        mistake("type", 26, "is a group of barriers; choose one",
                {.more = "Barrier(num_barriers=2, orders_tensor_core=True)", .options = "done"}),
        mistake("type", 26, "is a barrier of the cluster, and the tensor core arrives at those of its blocks",
                {.more = "ClusterBarrier(collective_axes=(\"x\",), orders_tensor_core=True)",
                 .options = "done",
                 .cluster = kPair}),
        mistake("type", kOption, "must be True, False or a condition such as `step > 0`", {.options = "accumulate=1"}),
        mistake("type", kOption, "must be True, False or a condition", {.options = "accumulate=out[...]"})));

// Two blocks.
INSTANTIATE_TEST_SUITE_P(
    ProductPairs, TmemMistake,
    ::testing::Values(
        mistake("value", 42, "the cluster has no axis `x`: the kernel has no `cluster=` with `cluster_names=`",
                {.options = "collective_axis=\"x\""}),
        mistake("value", 42, "along the cluster's last axis, `y`",
                {.options = "collective_axis=\"x\"", .cluster = ", cluster=(2, 2), cluster_names=(\"x\", \"y\")"}),
        mistake("value", 42, "two blocks work together, and the axis has 4",
                {.options = "collective_axis=\"x\"", .cluster = ", cluster=(4,), cluster_names=(\"x\",)"}),
        mistake("value", kAcc, "declare `acc` with `collective=True`",
                {.options = "collective_axis=\"x\"", .cluster = kPair}),
        mistake("shape-mismatch", kCall,
                "(each of the two blocks has half of its columns) gives the shape (128, "
                "128), and the accumulator `acc` has (128, 64)",
                {.acc = "TMEM((128, 64), f32, collective=True)", .options = "collective_axis=\"x\"", .cluster = kPair}),
        mistake("shape-mismatch", kB, "a product of two blocks has at most 128 columns in each, and `b` has 256",
                {.acc = "TMEM((128, 512), f32, collective=True)",
                 .b = "SMEM((128, 256), f16)",
                 .options = "collective_axis=\"x\"",
                 .cluster = kPair}),
        mistake("shape-mismatch", kB, "a product of two blocks has a multiple of 16 columns in each block",
                {.acc = "TMEM((128, 48), f32, collective=True)",
                 .b = "SMEM((128, 24), f16)",
                 .options = "collective_axis=\"x\"",
                 .cluster = kPair}),
        Mistake{"value", "4:31", "the cluster has no axis `x`",
                text("@kernel(scratch=[", kBarrier, "])\ndef k(out: Out((128,), f32), done):\n  pass\n",
                     "  tcgen05_commit_arrive(done, \"x\")\nk()\n")},
        Mistake{"type", "3:25", "declare it with `orders_tensor_core=True`",
                with("Barrier()", "  tcgen05_commit_arrive(t)\n")}));

// Block scales.
INSTANTIATE_TEST_SUITE_P(
    ProductScales, TmemMistake,
    ::testing::Values(
        mistake("arguments", kAScale, "scales for both operands or for none; `b_scale` is missing",
                changed(scaled(scalesOf(128, 8), scalesOf(128, 8)),
                        [](Product &p) { p.options = "accumulate=False, a_scale=more[0]"; })),
        mistake("type", kAScale, "must be a TMEM reference", scaled("SMEM((128, 8), f8e8m0fnu)", scalesOf(128, 8))),
        mistake("dtype-mismatch", kAScale, "block scales go with f8e4m3fn, f8e5m2 and f4e2m1fn, not with f16",
                changed(scaled(scalesOf(128, 8), scalesOf(128, 8)),
                        [](Product &p) { p.a = "SMEM((128, 256), f16)", p.b = "SMEM((64, 256), f16)"; })),
        mistake("dtype-mismatch", kAcc, "a product with block scales is summed in f32",
                changed(scaled(scalesOf(128, 8), scalesOf(128, 8)),
                        [](Product &p) { p.acc = "TMEM((128, 64), f16, packed=False)"; })),
        mistake("unsupported", kA, "a product with block scales has 128 rows, or 64 in each of two blocks",
                changed(scaled(scalesOf(128, 8), scalesOf(128, 8)),
                        [](Product &p) { p.acc = "TMEM((64, 64), f32)", p.a = "SMEM((64, 256), f8e4m3fn)"; })),
        mistake("dtype-mismatch", kAScale, "scales are f8e8m0fnu or f8e4m3fn, and `more",
                scaled("TMEM((128, 8), u8, layout=scales_layout())", scalesOf(128, 8))),
        mistake("dtype-mismatch", kBScale, "the scales of both operands have one dtype",
                scaled(scalesOf(128, 8), scalesOf(128, 8, "f8e4m3fn"))),
        mistake("dtype-mismatch", kAScale, "f8e4m3fn has scales of f8e8m0fnu for each 32 elements",
                scaled(scalesOf(128, 8, "f8e4m3fn"), scalesOf(128, 8, "f8e4m3fn"))),
        mistake("shape-mismatch", kAScale, "has f8e8m0fnu for each 64", scaled(scalesOf(128, 4), scalesOf(128, 4))),
        mistake("shape-mismatch", kAScale, "which do not divide K = 256", scaled(scalesOf(128, 12), scalesOf(128, 12))),
        mistake("shape-mismatch", kAScale, "the scales of `a` have the shape (128, 8), and",
                scaled(scalesOf(256, 8), scalesOf(128, 8))),
        mistake("shape-mismatch", kBScale, "the scales of `b` have the shape (128, 8), one row for each of the 64",
                scaled(scalesOf(128, 8), scalesOf(128, 4))),
        mistake("layout", kBScale, "declare it with `layout=scales_layout()`",
                scaled(scalesOf(128, 8), "TMEM((256, 8), f8e8m0fnu, layout=b_scales_m64_collective_layout())")),
        mistake("unsupported", kB, "store `b` as (N, K), and pass `b.T`",
                changed(with4Bits(), [](Product &p) { p.b = "SMEM((256, 64), f4e2m1fn)", p.right = "b"; })),
        mistake("unsupported", kA, "store `a` as (M, K)",
                changed(with4Bits(), [](Product &p) { p.a = "SMEM((256, 128), f4e2m1fn)", p.left = "a.T"; }))));

// Sparse operands.
INSTANTIATE_TEST_SUITE_P(
    ProductSparsity, TmemMistake,
    ::testing::Values(
        mistake("shape-mismatch", kCall, "half of a sparse `a` is stored",
                changed(sparse(), [](Product &p) { p.a = "SMEM((128, 128), f16)"; })),
        mistake("dtype-mismatch", kMetadata, "sparse metadata are u2, and", sparse("TMEM((128, 64), u8, packed=True)")),
        mistake("shape-mismatch", kMetadata, "the metadata of `a` have the shape (128, 64)",
                sparse("TMEM((128, 128), u2, layout=sparse_meta_layout())")),
        mistake("unsupported", kA, "a sparse product has 128 rows, and `a` has 64",
                changed(sparse(), [](Product &p) { p.acc = "TMEM((64, 64), f32)", p.a = "SMEM((64, 64), f16)"; })),
        mistake("unsupported", kB, "a sparse product has a multiple of 16 columns, and `b` has 24",
                changed(sparse(), [](Product &p) { p.acc = "TMEM((128, 24), f32)", p.b = "SMEM((128, 24), f16)"; })),
        mistake("unsupported", kA, "sparse product of f32",
                changed(sparse(), [](Product &p) { p.a = "SMEM((128, 64), f32)", p.b = "SMEM((128, 64), f32)"; })),
        mistake("unsupported", kA, "a sparse product with block scales takes `a` from shared memory",
                {.a = "TMEM((128, 128), f8e4m3fn, packed=True)",
                 .b = "SMEM((64, 256), f8e4m3fn)",
                 .more = scalesOf(128, 4) + ", " + scalesOf(128, 4) +
                         ", TMEM((128, 128), u2, layout=sparse_meta_layout())",
                 .options = "a_scale=more[0], b_scale=more[1], a_sparse_metadata=more[2]",
                 .right = "b.T"})));

//===------------------------------------ copies, cluster launch control ------------------------------------------===//

/// `copy(s, t)` in line 3. The column is 21 plus a number that depends on the function's name.
std::string copying(const std::string &shared, const std::string &tensor, const std::string &call,
                    const std::string &cluster = "") {
  return "@kernel(scratch=[" + shared + ", " + tensor + "]" + cluster + ")\ndef k(out: Out((128,), f32), s, t):\n  " +
         call + "\nk()\n";
}

const std::string kScales = "TMEM((128, 8), f8e8m0fnu, layout=scales_layout())",
                  kScaleTiles = "SMEM((1, 2, 32, 16), f8e8m0fnu)", kCopyScales = "async_copy_scales_to_tmem(s, t)",
                  kMeta = "TMEM((128, 128), u2, layout=sparse_meta_layout())", kMetaTiles = "SMEM((1, 2, 128, 64), u2)",
                  kCopyMeta = "async_copy_sparse_metadata_to_tmem(s, t)", kCopy = "async_copy_smem_to_tmem(s, t)";

INSTANTIATE_TEST_SUITE_P(
    Copies, TmemMistake,
    ::testing::Values(
        Mistake{"type", "3:29", "must be an SMEM reference", copying(kMatrix, kScales, kCopyScales)},
        Mistake{"type", "3:32", "must be a TMEM reference", copying(kScaleTiles, kScaleTiles, kCopyScales)},
        Mistake{"dtype-mismatch", "3:29", "`s` has dtype u8 and `t` has f8e8m0fnu",
                copying("SMEM((1, 2, 32, 16), u8)", kScales, kCopyScales)},
        Mistake{"dtype-mismatch", "3:32", "scales are f8e8m0fnu or f8e4m3fn",
                copying("SMEM((1, 2, 32, 16), u8)", "TMEM((128, 8), u8, layout=scales_layout())", kCopyScales)},
        Mistake{"layout", "3:32", "scales have the layout `scales_layout()`",
                copying(kScaleTiles, "TMEM((128, 8), f8e8m0fnu, packed=True)", kCopyScales)},
        Mistake{"shape-mismatch", "3:29", "is copied from the shape (1, 2, 32, 16), and `s` has (128, 8)",
                copying("SMEM((128, 8), f8e8m0fnu)", kScales, kCopyScales)},
        Mistake{"unsupported", "3:32", "scales of up to 256 rows are copied, not of 384",
                copying("SMEM((3, 2, 32, 16), f8e8m0fnu)", "TMEM((384, 8), f8e8m0fnu, layout=scales_layout())",
                        kCopyScales)},
        Mistake{"unsupported", "3:29", "scales are copied from memory that lies together",
                copying("SMEM((1, 4, 32, 16), f8e8m0fnu)", kScales, "async_copy_scales_to_tmem(s.at[:, 1:3], t)")},
        Mistake{"value", "3:32", "declare `t` with `collective=True`",
                copying(kScaleTiles, kScales, "async_copy_scales_to_tmem(s, t, \"x\")", kPair)},
        Mistake{"dtype-mismatch", "3:41", "metadata of sparse operands are u2",
                copying("SMEM((1, 2, 128, 64), u8)", "TMEM((128, 128), u8, packed=True)", kCopyMeta)},
        Mistake{"unsupported", "3:41", "metadata of 128 rows are copied, not of 256",
                copying("SMEM((2, 2, 128, 64), u2)", "TMEM((256, 128), u2, layout=sparse_meta_layout())", kCopyMeta)},
        Mistake{"shape-mismatch", "3:41", "in tiles of 64 columns, and 32 is not a multiple of 64",
                copying(kMetaTiles, "TMEM((128, 32), u2, layout=sparse_meta_layout())", kCopyMeta)},
        Mistake{"shape-mismatch", "3:38", "`format_tcgen05_sparse_metadata` brings metadata into it",
                copying("SMEM((128, 128), u2)", kMeta, kCopyMeta)},
        Mistake{"shape-mismatch", "3:27", "`s` has shape (128, 32) and `t` has (128, 64)",
                copying("SMEM((128, 32), f32)", kMatrix, kCopy)},
        Mistake{"layout", "3:30", "declare `t` with 128 rows and `packed=True`",
                copying("SMEM((128, 64), f16)", "TMEM((128, 64), f16, packed=False)", kCopy)},
        Mistake{"layout", "3:30", "declare `t` with 128 rows",
                copying("SMEM((64, 64), f32)", "TMEM((64, 64), f32)", kCopy)}));

const std::string kAnswer = "TryClusterCancelResult()";

INSTANTIATE_TEST_SUITE_P(
    ClusterLaunchControl, TmemMistake,
    ::testing::Values(
        Mistake{"type", "3:22", "the answer has 128 bits, and `s` has 64; declare it as `TryClusterCancelResult()`",
                copying("SMEM((8,), i8)", "Barrier()", "try_cluster_cancel(s, t)")},
        Mistake{"type", "3:22", "and `s` has 256; choose one: `s.at[i]`",
                copying("TryClusterCancelResult(2)", "Barrier()", "try_cluster_cancel(s, t)")},
        Mistake{"type", "3:25", "must be a barrier", copying(kAnswer, kAnswer, "try_cluster_cancel(s, t)")},
        Mistake{"type", "3:25", "the answer's bytes are counted by a `Barrier(…)`",
                copying(kAnswer, "ClusterBarrier(collective_axes=(\"x\",))", "try_cluster_cancel(s, t)", kPair)},
        Mistake{"value", "3:27", "the kernel names no axes of its grid; give it `grid_names=`",
                copying(kAnswer, "Barrier()", "query_cluster_cancel(s, (\"m\",))")},
        Mistake{"value", "3:27", "the grid has no axis `n`, it has `m`",
                copying(kAnswer, "Barrier()", "query_cluster_cancel(s, (\"n\",))", ", grid_names=(\"m\",)")},
        Mistake{"value", "1:24", "there are from 1 to 1024 results, not 0", "TryClusterCancelResult(0)\n"}));

TEST(TmemMistakes, OfCopiesThatTheFirstBlockWaitsFor) {
  auto copy = [](const std::string &options, const std::string &cluster = kPair) {
    return "@kernel(scratch=[SMEM((64, 64), f32), Barrier()]" + cluster +
           ")\ndef k(x: GMEM((128, 64), f32), s, t):\n  copy_gmem_to_smem(x, s, t, " + options +
           ")\nk(zeros((128, 64), f32))\n";
  };
  const std::string replicated = "leader_tracked=CopyPartition.REPLICATED";
  expectMistake(copy(replicated), "value", "3:45", "only a copy with `collective_axes` is replicated in blocks");
  expectMistake(copy("collective_axes=\"x\", leader_tracked=1"), "type", "3:66", "must be `CopyPartition.PARTITIONED");
  expectMistake(copy("collective_axes=\"x\", partitioned_axis=0, " + replicated), "value", "3:86",
                "leave one of them out");
  expectMistake(copy("collective_axes=\"x\", " + replicated, ", cluster=(4,), cluster_names=(\"x\",)"), "value", "3:66",
                "replicated in 2 blocks, and the axis has 4");
  expectMistake(copy("collective_axes=\"x\", leader_tracked=CopyPartition.PARTITIONED(2)"), "value", "3:66",
                "there is no dimension 2");
}

// Only the lowering knows how operands are stored. It reports the mistake at the product, before the kernel runs.
TEST(TmemMistakes, OfOperandsStoredInAWayThatNoInstructionReads) {
  auto product = [](int m, const std::string &transforms) {
    std::string rows = text(m);
    std::string spec = ", 64), f16" + (transforms.empty() ? "" : ", transforms=(" + transforms + ")") + ")";
    return "@kernel(scratch=[SMEM((" + rows + spec + ", SMEM((64" + spec + ", TMEM((" + rows +
           ", 64), f32), Barrier(num_arrivals=2), Barrier(orders_tensor_core=True)])\ndef mm(a: GMEM((" + rows +
           ", 64), f16), b: GMEM((64, 64), f16), at, bt, acc, loaded, done):\n  copy_gmem_to_smem(a, at, loaded)\n"
           "  copy_gmem_to_smem(b, bt, loaded)\n  barrier_wait(loaded)\n"
           "  tcgen05_mma(acc, at, bt, done, accumulate=False)\nmm(zeros((" +
           rows + ", 64), f16), zeros((64, 64), f16))\n";
  };
  expectMistake(product(128, ""), "lowering", "6:3",
                "give its buffer `transforms=(TilingTransform((8, 64)), SwizzleTransform(128))`");
  expectMistake(product(128, "TilingTransform((16, 64)), SwizzleTransform(128)"), "lowering", "6:3",
                "must be stored in tiles of (8, 64) for a swizzle of 128 bytes");
  expectMistake(product(64, "TilingTransform((8, 64)), SwizzleTransform(128)"), "lowering", "6:3",
                "is taken 32 columns at a time, but it is stored in tiles of 64; choose a narrower swizzle");
}

TEST(TmemMistakes, OfHelpersOnTheHost) {
  expectMistake("format_tcgen05_scales(zeros((128, 6), f8e8m0fnu))\n", "assertion", "1:1", "a multiple of 4");
  expectMistake("format_tcgen05_sparse_metadata(zeros((128, 64, 2), u8), f32)\n", "assertion", "1:1",
                "operands with 4, 8 or 16 bits");
  expectMistake("format_tcgen05_sparse_metadata(zeros((128, 64), u8), f16)\n", "assertion", "1:1",
                "(M, K // 4, 2), or (M, K // 8, 2) of f4e2m1fn");
}

} // namespace
} // namespace lanescope::repl
