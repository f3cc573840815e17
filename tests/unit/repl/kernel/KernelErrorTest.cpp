// Planted mistakes: each is reported at its place, in the words of the snippet language.
#include "tests/unit/repl/KernelSupport.h"

namespace lanescope::repl {
namespace {

struct Mistake {
  std::string kind, place, message; // `message` is a part of the message
  std::string text;
  std::string note = ""; // a part of one note
};

void PrintTo(const Mistake &mistake, std::ostream *out) { *out << mistake.message; }

class KernelError : public ::testing::TestWithParam<Mistake> {};

// inventory: PD lowering_error_context
TEST_P(KernelError, IsReportedAtItsPlace) {
  const Mistake &wanted = GetParam();
  Snippet done(wanted.text);
  ASSERT_FALSE(done.ok);
  EXPECT_EQ(done.diagnostics.front().kind, wanted.kind) << done.errors;
  EXPECT_EQ(done.place(), wanted.place) << done.errors;
  EXPECT_NE(done.diagnostics.front().message.find(wanted.message), std::string::npos) << done.errors;
  if (wanted.note.empty())
    return;
  bool found = false;
  for (const Note &note : done.diagnostics.front().notes)
    found = found || note.message.find(wanted.note) != std::string::npos;
  EXPECT_TRUE(found) << done.errors;
}

/// A kernel `k` of f32[128] -> f32[128] with this body, and a call of it.
std::string simple(const std::string &body) {
  return "@kernel()\ndef k(x: GMEM((128,), f32), out: Out((128,), f32)):\n" + body + "k(zeros((128,), f32))\n";
}

/// A kernel `k` of f16[128, 128] with a buffer `tile` and a barrier `b`.
std::string copying(const std::string &scratch, const std::string &body) {
  return "@kernel(scratch=[" + scratch + "])\ndef k(x: GMEM((128, 128), f16), out: Out((128, 128), f16), tile, b):\n" +
         body + "k(zeros((128, 128), f16))\n";
}

const std::string kTile = "SMEM((128, 128), f16), Barrier()";

INSTANTIATE_TEST_SUITE_P(
    Copies, KernelError,
    ::testing::Values(
        Mistake{"shape-mismatch", "3:21",
                "the destination tile has shape (128, 64) but the source slice has shape (128, 128)",
                copying("SMEM((128, 64), f16), Barrier()", "  copy_gmem_to_smem(x, tile, b)\n"),
                "`tile` is declared here"},
        Mistake{"dtype-mismatch", "3:21", "the destination tile has dtype f32 but the source slice has dtype f16",
                copying("SMEM((128, 128), f32), Barrier()", "  copy_gmem_to_smem(x, tile, b)\n")},
        Mistake{"type", "3:30", "`b` is a group of barriers; choose one: `b.at[i]`",
                copying("SMEM((128, 128), f16), Barrier(num_barriers=2)", "  copy_gmem_to_smem(x, tile, b)\n")},
        Mistake{"type", "3:21", "must be a GMEM reference", copying(kTile, "  copy_gmem_to_smem(tile, x, b)\n")},
        Mistake{"type", "3:30", "must be a barrier", copying(kTile, "  copy_gmem_to_smem(x, tile, x)\n")},
        Mistake{"read-only", "3:27", "`x` is an input", copying(kTile, "  copy_smem_to_gmem(tile, x)\n")},
        Mistake{"lowering", "3:3", "a copy cannot transpose", copying(kTile, "  copy_gmem_to_smem(x.T, tile, b)\n")},
        Mistake{"out-of-bounds", "3:26", "slice 128:192 is outside of dimension 0 of `x`, which has size 128",
                copying(kTile, "  copy_gmem_to_smem(x.at[ds(128, 64)], tile, b)\n")},
        Mistake{"out-of-bounds", "3:15", "only copies to and from shared memory may do so",
                copying(kTile, "  tile[...] = x[ds(100, 128)]\n")},
        Mistake{"out-of-bounds", "3:23", "there is no barrier 3",
                copying("SMEM((128, 128), f16), Barrier(num_barriers=2)", "  barrier_arrive(b.at[3])\n")},
        Mistake{"value", "3:21", "cannot be -1", copying(kTile, "  wait_smem_to_gmem(-1)\n")}));

INSTANTIATE_TEST_SUITE_P(
    Values, KernelError,
    ::testing::Values(
        Mistake{"read-only", "3:3", "declare it `InOut", simple("  x[...] = 1\n"), "`x` is declared here"},
        Mistake{"type", "3:14", "read it with `x[...]`", simple("  out[...] = x * 2\n")},
        Mistake{"dtype-mismatch", "3:14", "convert it with `.astype(f32)`",
                simple("  out[...] = x[...].astype(f16)\n")},
        Mistake{"shape-mismatch", "5:14", "`+` combines arrays of shapes (64,) and (32,)",
                simple("  a = x[0:64]\n  b = x[0:32]\n  out[...] = a + b\n"),
                "the array of shape (64,) is computed here"},
        Mistake{"shape-mismatch", "3:14", "an array of shape (64,) is written to `out` of shape (128,)",
                simple("  out[...] = x[0:64]\n")},
        Mistake{"out-of-bounds", "3:16", "index 200 is outside", simple("  out[...] = x[200]\n")},
        Mistake{"type", "3:16", "2 indices for `x`, which has 1 dimension", simple("  out[...] = x[1, 2]\n")},
        Mistake{"unsupported", "3:14", "kernels do not have `transpose`", simple("  out[...] = transpose(x[...])\n")},
        Mistake{"layout", "3:34", "cannot have this layout", simple("  out[...] = layout_cast(x[...], WGMMA)\n")},
        Mistake{"type", "4:23", "an array of the host whose elements differ",
                simple("  y = arange(128).astype(f32) / 3\n  out[...] = x[...] + y\n")},
        Mistake{"unsupported", "3:23", "kernels do not compute with tf32",
                simple("  out[...] = x[...] + zeros((128,), tf32)\n")},
        Mistake{"unsupported", "3:23", "conversions from f8e8m0fnu to f32 need sm_100a; `bitcast(x, u8)`",
                simple("  out[...] = x[...] + zeros((128,), f8e8m0fnu)\n")},
        Mistake{"unsupported", "3:23", "conversions from f4e2m1fn to f32 need sm_100a",
                simple("  out[...] = x[...] + zeros((128,), f4e2m1fn)\n")},
        Mistake{"unsupported", "3:14", "`**` in a kernel takes a whole exponent",
                simple("  out[...] = x[...] ** 1.5\n")},
        Mistake{"arithmetic", "3:14", "division by zero", simple("  out[...] = x[...].astype(i32) // 0\n")},
        Mistake{"type", "3:24", "`trunc_div` takes integers, not f32", simple("  out[...] = trunc_div(x[...], 2)\n")},
        Mistake{"too-large", "4:12", "work on tiles",
                simple("  n = 8192\n  out[0] = broadcasted_iota(f32, (n, n), 0)\n")},
        Mistake{"too-large", "5:9", "`range` instead of `static_range`",
                simple("  v = x[...]\n  for i in static_range(1000000):\n    v = v + 1\n")},
        Mistake{"range", "3:35", "does not fit i32", simple("  out[...] = x[...].astype(i32) + 99999999999\n")},
        Mistake{"unknown-name", "3:23", "`undefined` is not defined", simple("  out[...] = x[...] + undefined\n")},
        Mistake{"unknown-name", "3:23", "is `float(\"inf\")` here", simple("  out[...] = x[...] + inf\n")},
        Mistake{"unknown-name", "3:14", "is `min(where(x == max(x),", simple("  out[...] = argmax(x[...])\n")}));

INSTANTIATE_TEST_SUITE_P(
    Control, KernelError,
    ::testing::Values(
        Mistake{"type", "3:6", "neither true nor false", simple("  if x[...] > 0:\n    out[...] = 1\n")},
        Mistake{"staging", "4:3", "`acc` is f32[128] before the loop and f16[128] after a round",
                simple("  acc = x[...]\n  for i in range(4):\n    acc = acc.astype(f16)\n")},
        Mistake{"staging", "4:3", "only numbers and arrays can change",
                simple("  r = x.at[0:64]\n  for i in range(2):\n    r = x.at[ds(i * 64, 64)]\n")},
        Mistake{"staging", "3:6", "`v` is f32[128] when the condition holds and f16[128] when it does not",
                simple("  if x[0] > 0:\n    v = x[...]\n  else:\n    v = x[...].astype(f16)\n  out[...] = v\n")},
        Mistake{"unbound-name", "5:14", "`v` has no value here",
                simple("  if x[0] > 0:\n    v = x[...]\n  out[...] = v\n")},
        Mistake{"staging", "5:7", "`break` leaves a loop",
                simple("  for i in range(4):\n    if i == 2:\n      break\n")},
        Mistake{"unsupported", "3:3", "step of a loop",
                simple("  for i in range(0, 4, x[0].astype(i32)):\n    pass\n")},
        Mistake{"host-stage", "1:1", "works inside kernels", "commit_smem()\n"},
        Mistake{"host-stage", "6:1", "not being traced any more",
                "saved = []\n" + simple("  saved.append(x[...])\n") + "saved[0] + 1\n"},
        Mistake{"staging", "8:5", "`total` is a variable outside of this loop or branch",
                "def often(n, f):\n  for i in range(n):\n    f()\n@kernel()\ndef k(n: GMEM((1,), i32), out: Out((1,), "
                "i32)):\n  def add():\n    nonlocal total\n    total = total + 1\n  total = 0\n  often(n[0], add)\n  "
                "out[0] = total\nk(zeros((1,), i32))\n"},
        Mistake{
            "staging", "6:5", "return the value, and bind the name in the loop or branch itself",
            simple("  total = 0\n  def add():\n    nonlocal total\n    total = total + x[0]\n    return True\n  ok = "
                   "x[1] > 0 and add()\n  out[...] = x[...] + total\n")},
        Mistake{
            "staging", "6:5", "`total` is a variable outside of this loop or branch",
            simple(
                "  total = 0\n  def add():\n    nonlocal total\n    total = total + x[0]\n    return 1.0\n  out[...] "
                "= x[...] + (add() if x[1] > 0 else 2.0)\n")},
        Mistake{"staging", "6:5", "`total` is a variable outside of this loop or branch",
                "total = 0\n@kernel()\ndef k(x: GMEM((128,), f32), out: Out((128,), f32)):\n  def add():\n    global "
                "total\n    total = 1\n  for i in range(3):\n    add()\n  out[...] = x[...]\nk(zeros((128,), f32))\n"},
        Mistake{"staging", "3:3", "cannot be called inside a kernel", simple("  k(x)\n")}));

INSTANTIATE_TEST_SUITE_P(
    Definitions, KernelError,
    ::testing::Values(
        Mistake{"value", "1:17", "from 1 to 16 blocks, not 32",
                "@kernel(cluster=(32,))\ndef k(x: GMEM((128,), f32)):\n  pass\n"},
        Mistake{"value", "1:21", "not 9", "@kernel(num_threads=9)\ndef k(x: GMEM((128,), f32)):\n  pass\n"},
        Mistake{"kernel", "1:14", "the dimensions before the last two share one",
                "@kernel(grid=(1000, 100, 3, 4))\ndef k(x: GMEM((128,), f32)):\n  pass\nk(zeros((128,), f32))\n"},
        Mistake{
            "kernel", "1:14", "`grid_names` 1 name",
            "@kernel(grid=(1, 2), grid_names=(\"a\",))\ndef k(x: GMEM((128,), f32)):\n  pass\nk(zeros((128,), f32))\n"},
        Mistake{"kernel", "2:7", "`x` has no annotation and nothing in `scratch`",
                "@kernel()\ndef k(x):\n  pass\nk()\n"},
        Mistake{"kernel", "1:17", "`scratch` has 1 entry, and kernel `k` has 0 parameters without annotation",
                "@kernel(scratch=[Barrier()])\ndef k(x: GMEM((128,), f32)):\n  pass\nk(zeros((128,), f32))\n"},
        Mistake{"kernel", "2:10", "is annotated with", "@kernel()\ndef k(x: 3):\n  pass\n"},
        Mistake{"kernel", "2:13", "as an array of one element: `GMEM((1,), i32)`, read with `seed[0]`",
                "@kernel()\ndef k(seed: i32):\n  pass\n"},
        Mistake{"kernel", "2:27", "size `N` of output `out`",
                "@kernel()\ndef k(x: GMEM((M,), f32), out: Out((N,), f32)):\n  pass\nk(zeros((128,), f32))\n"},
        Mistake{"kernel", "2:7", "size `2 * M` is not known here",
                "@kernel()\ndef k(x: GMEM((2 * M,), f32)):\n  pass\nk(zeros((128,), f32))\n"},
        Mistake{"shared-memory", "2:5", "needs 256 KiB of shared memory, but a block has 227 KiB",
                "@kernel(scratch=[SMEM((1024, 128), f16)])\ndef k(x: GMEM((128,), f32), t):\n  pass\nk(zeros((128,), "
                "f32))\n",
                "`t` takes 256 KiB"},
        Mistake{"kernel", "2:5", "returns a value", simple("  return 3\n")},
        Mistake{"value", "1:33", "does not divide the shape",
                "SMEM((128, 48), f16, transforms=(TilingTransform((8, 64)), SwizzleTransform(128)))\n"},
        Mistake{"value", "1:33", "make it 32 elements",
                "SMEM((128, 64), f32, transforms=(TilingTransform((8, 64)), SwizzleTransform(128)))\n"},
        Mistake{"value", "2:23", "memory of kernels does not hold tf32",
                "@kernel()\ndef k(x: GMEM((128,), tf32)):\n  pass\n"}));

INSTANTIATE_TEST_SUITE_P(
    Calls, KernelError,
    ::testing::Values(
        Mistake{"shape-mismatch", "4:3", "dimension 0 must be 128",
                "@kernel()\ndef k(x: GMEM((128,), f32)):\n  pass\nk(zeros((64,), f32))\n", "`x` is declared here"},
        Mistake{"shape-mismatch", "4:3", "`M` is 64",
                "@kernel()\ndef k(x: GMEM((M, M), f32)):\n  pass\nk(zeros((64, 128), f32))\n"},
        Mistake{"dtype-mismatch", "4:3", "convert it with `.astype(f32)`",
                "@kernel()\ndef k(x: GMEM((128,), f32)):\n  pass\nk(zeros((128,), f16))\n"},
        Mistake{"type", "4:3", "must be an array", "@kernel()\ndef k(x: GMEM((128,), f32)):\n  pass\nk(3)\n"},
        Mistake{"type", "4:3", "must be an int", "@kernel()\ndef k(n: int):\n  pass\nk(1.5)\n"},
        Mistake{"arguments", "4:1", "needs a value for `x`", "@kernel()\ndef k(x: GMEM((128,), f32)):\n  pass\nk()\n"},
        Mistake{"arguments", "4:23", "takes 1 argument, but 2 are given",
                "@kernel()\ndef k(x: GMEM((128,), f32)):\n  pass\nk(zeros((128,), f32), 2)\n"},
        Mistake{"arguments", "4:3", "takes no argument `y`",
                "@kernel()\ndef k(x: GMEM((128,), f32)):\n  pass\nk(y=zeros((128,), f32))\n"},
        Mistake{"type", "1:5", "must be a kernel", "ptx(3)\n"},
        Mistake{"device", "5:1", "there is no device `tpu`",
                "@kernel()\ndef k(out: Out((128,), f32)):\n  out[...] = 1\nk()\nrun(k, device=\"tpu\")\n"}));

// The emulator's findings are reported at the snippet's lines.
INSTANTIATE_TEST_SUITE_P(
    Faults, KernelError,
    ::testing::Values(Mistake{"deadlock", "3:3", "deadlock",
                              "@kernel(scratch=[Barrier()])\ndef k(x: GMEM((128,), f32), b):\n  barrier_wait(b)\n"
                              "k(zeros((128,), f32))\n"},
                      Mistake{"layout", "5:14", "WGMMA",
                              "@kernel()\ndef k(x: GMEM((128, 128), f32), out: Out((128, 128), f32)):\n"
                              "  a = layout_cast(x[...], WGMMA)\n  b = layout_cast(x[...], TCGEN05)\n"
                              "  out[...] = a + b\nk(zeros((128, 128), f32))\n"}));

} // namespace
} // namespace lanescope::repl
