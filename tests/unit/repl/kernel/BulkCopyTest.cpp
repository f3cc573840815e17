// Copies of contiguous slices without a descriptor, and the fill beyond an array's end, on the emulator.
#include "tests/unit/repl/KernelSupport.h"

#include "layouts/support/Text.h"

namespace lanescope::repl {
namespace {

/// Compiles a kernel that copies x.at[index] of this shape to shared memory and back, and returns its PTX.
std::string copied(const std::string &dtype, const std::string &shape, const std::string &index,
                   const std::string &mode) {
  Snippet done(text("shape, dtype = ", shape, ", ", dtype, R"(
count = 1
for size in shape:
  count = count * size
x = arange(count).reshape(shape).astype(dtype)
part = x)",
                    index.empty() ? "" : "[" + index + "]", R"(
@kernel(scratch=[SMEM(part.shape, dtype), Barrier()])
def k(x: GMEM(shape, dtype), out: Out(part.shape, dtype), tile, bar):
  copy_gmem_to_smem(x.at[)",
                    index.empty() ? "..." : index, "], tile, bar, oob_mode=\"", mode, R"(")
  barrier_wait(bar)
  out[...] = tile[...]
assert max_error(k(x), part) == 0
print(ptx(k, x))
)"));
  EXPECT_TRUE(done.ok) << dtype << shape << index << mode << done.errors;
  return done.printed;
}

// inventory: PC copy_gmem_to_smem_contiguous
TEST(BulkCopies, ContiguousSlices) {
  const std::tuple<const char *, const char *, bool> slices[] = {
      {"(256,)", "", false},         {"(64, 128)", "", false},       {"(64, 128)", "5", false},
      {"(3, 64, 128)", "2", false},  {"(3, 64, 1, 128)", "", false}, {"(3, 64, 1, 128)", "1, 32:64", false},
      {"(5, 5, 512)", "4, 4", true}, {"(5, 1024)", "4", true},       {"(8192,)", "", true},
      {"(8192,)", "4096:8192", true}};
  for (const char *dtype : {"bf16", "f32"})
    for (auto [shape, index, large] : slices)
      for (const char *mode : {"zeros", "undefined", "promise_in_bounds"}) {
        bool zeros = std::string(mode) == "zeros";
        if (large && zeros)
          continue; // larger than a box
        std::string ptx = copied(dtype, shape, index, mode);
        EXPECT_EQ(ptx.find("cp.async.bulk.tensor") != std::string::npos, zeros) << shape << index << mode;
        EXPECT_EQ(ptx.find("cp.async.bulk.shared::cluster.global") != std::string::npos, !zeros)
            << shape << index << mode;
      }
}

// Slices that are not contiguous or not aligned need a descriptor in every mode.
TEST(BulkCopies, OthersNeedADescriptor) {
  for (const char *mode : {"undefined", "promise_in_bounds"})
    EXPECT_NE(copied("f32", "(64, 128)", "0:64, 0:64", mode).find("cp.async.bulk.tensor.2d"), std::string::npos);
}

// A start known only on the device: one piece if the alignment is promised, otherwise a descriptor.
// inventory: PC copy_gmem_to_smem_clamped_arrivals
TEST(BulkCopies, StartsOfTheDevice) {
  for (const char *mode : {"undefined", "promise_in_bounds"}) {
    Snippet done(text(R"(@kernel(grid=(2,), scratch=[SMEM((128,), f32), Barrier()])
def k(x: GMEM((256,), f32), out: Out((2, 128), f32), tile, bar):
  i = program_id(0)
  copy_gmem_to_smem(x.at[ds(i * 128, 128)], tile, bar, oob_mode=")",
                      mode, R"(")
  barrier_wait(bar)
  out[i] = tile[...]
x = arange(256).astype(f32)
assert max_error(k(x), x.reshape((2, 128))) == 0
print(ptx(k, x))
)"));
    EXPECT_TRUE(done.ok) << done.errors;
    EXPECT_EQ(done.printed.find("cp.async.bulk.tensor") == std::string::npos, std::string(mode) == "promise_in_bounds");
  }
}

// A start that an argument gives, up to the array's end.
// inventory: PC out_of_bounds_tma_reads
TEST(BulkCopies, StartsOfArguments) {
  for (const char *one : {"promise_in_bounds 0", "promise_in_bounds 80", "zeros 0", "zeros 112", "zeros 192",
                          "zeros 208", "undefined 0", "undefined 112", "undefined 192", "undefined 208"}) {
    std::string mode = one, start = mode.substr(mode.find(' ') + 1);
    mode.resize(mode.find(' '));
    expectRuns(text("mode, first = \"", mode, "\", ", start, R"(
@kernel(scratch=[SMEM((128,), i8), Barrier()])
def k(start: GMEM((), i32), x: GMEM((208,), i8), out: Out((128,), i8), tile, bar):
  tile[...] = full((128,), -1, i8)
  commit_smem()
  copy_gmem_to_smem(x.at[ds(start[...], 128)], tile, bar, oob_mode=mode)
  barrier_wait(bar)
  out[...] = tile[...]
x = (arange(208) % 128).astype(i8)
out = k(full((), first, i32), x)
valid = min(128, 208 - first)
if valid > 0:
  assert max_error(out[:valid].astype(i32), x[first:first + valid].astype(i32)) == 0
if mode == "zeros" and valid < 128:
  assert max_error(out[valid:].astype(i32), zeros((128 - valid,), i32)) == 0
)"));
  }
}

TEST(BulkCopies, WhatFillsIn) {
  for (const char *dtype : {"f32", "f16", "bf16"})
    expectRuns(text(R"(@kernel(scratch=[SMEM((128, 64), )", dtype, R"(), SMEM((128, 64), )", dtype,
                    R"(), Barrier(num_barriers=2)])
def k(x: GMEM((100, 64), )",
                    dtype, "), zeroed: Out((128, 64), ", dtype, "), filled: Out((128, 64), ", dtype, R"(), a, b, bar):
  copy_gmem_to_smem(x.at[ds(0, 128)], a, bar.at[0], oob_mode="undefined")
  copy_gmem_to_smem(x.at[ds(0, 128)], b, bar.at[1], oob_mode="nan")
  barrier_wait(bar.at[0])
  barrier_wait(bar.at[1])
  zeroed[...] = a[...]
  v = b[...]
  filled[...] = select(v == v, v, -5.0)
x = random((100, 64), )",
                    dtype, R"(, seed=1)
zeroed, filled = k(x)
assert max_error(zeroed[0:100], x) == 0 and max_error(filled[0:100], x) == 0
assert max_error(filled[100:128], full((28, 64), -5.0, )",
                    dtype, R"()) == 0
)"));
}

TEST(BulkCopies, ByOneWarp) {
  expectRuns(R"(@kernel(scratch=[SMEM((1024,), f32), Barrier()])
def k(x: GMEM((4, 1024), f32), out: Out((1024,), f32), tile, bar):
  def body():
    if axis_index("warp") == 3:
      copy_gmem_to_smem(x.at[2], tile, bar, oob_mode="promise_in_bounds")
  core_map(WarpMesh(axis_name="warp"))(body)
  barrier_wait(bar)
  out[...] = tile[...]
x = random((4, 1024), f32, seed=1)
assert max_error(k(x), x[2]) == 0
)");
}

TEST(BulkCopies, Mistakes) {
  auto kernel = [](const std::string &dtype, const std::string &copy) {
    return "@kernel(grid=(2,), scratch=[SMEM((128,), " + dtype + "), Barrier()])\ndef k(x: GMEM((200,), " + dtype +
           "), out: Out((128,), " + dtype + "), tile, bar):\n  " + copy +
           "\n  barrier_wait(bar)\n  out[...] = tile[...]\nk(zeros((200,), " + dtype + "))\n";
  };
  expectError(kernel("f32", "copy_gmem_to_smem(x.at[0:128], tile, bar, oob_mode=\"ones\")"), "3:54",
              "it is \"zeros\", \"nan\", \"undefined\" or \"promise_in_bounds\"");
  expectError(kernel("i32", "copy_gmem_to_smem(x.at[0:128], tile, bar, oob_mode=\"nan\")"), "3:54", "NaN fills floats");
  expectError(kernel("f32", "copy_gmem_to_smem(x.at[ds(100, 128)], tile, bar, oob_mode=\"promise_in_bounds\")"), "3:61",
              "reaches over the end of `x`");
  expectError(kernel("f32", "copy_gmem_to_smem(x.at[0:128], tile, oob_mode=\"nan\")"), "3:49", "a copy without TMA");
  // The emulator reports broken promises.
  auto from = [](int start) {
    return text(R"(@kernel(scratch=[SMEM((128,), f32), Barrier()])
def k(x: GMEM((200,), f32), first: GMEM((1,), i32), out: Out((128,), f32), tile, bar):
  copy_gmem_to_smem(x.at[ds(first[0], 128)], tile, bar, oob_mode="promise_in_bounds")
  barrier_wait(bar)
  out[...] = tile[...]
k(zeros((200,), f32), array([)",
                start, "], i32))\n");
  };
  expectError(from(100), "3:3", "reads 512 bytes at byte 400 of `x` (f32[200]), which has 800 bytes");
  expectError(from(1), "3:3", "byte 4 of `x` (f32[200]), which is not a multiple of 16");
  expectRuns(from(72));
  expectError(
      kernel("f32", "copy_gmem_to_smem(x.at[ds(program_id(0) * 128, 128)], tile, bar, oob_mode=\"promise_in_bounds\")"),
      "3:3", "");
}

} // namespace
} // namespace lanescope::repl
