// Conversions between register layouts. Each test stores the result, so wrong lanes would store wrong elements.
#include "Cases.h"

#include <gtest/gtest.h>

namespace lanescope::repl {
namespace {

// inventory: CV transpose_relayout, upcast_to_wgmma, convert_tmem_native_vector_length, splat_relayout, PE
// fp8_relayout, layout_cast
TEST(Relayouts, EveryOneOfTheTable) {
  std::vector<Case> cases;
  auto add = [&](const char *from, const char *to, const char *dtype) {
    for (int m : {128, 256})
      for (int n : {32, 64, 128})
        cases.push_back({text(from, "_", to, "_", dtype, "_", m, "_", n),
                         text("A, B, T, S = ", from, ", ", to, ", ", dtype, ", (", m, ", ", n, R"()
@kernel()
def k(x: GMEM(S, T), out: Out(S, T)):
  out[...] = layout_cast(load(x, layout=A, optimized=False), B)
x = random(S, i32, seed=1, low=-7 if T != u16 else 0, high=8).astype(T)
assert max_error(k(x).astype(f32), x.astype(f32)) == 0
)")});
  };
  for (const char *dtype : {"f32", "i32", "f16", "bf16", "u16"}) {
    add("WGMMA", "WGMMA_TRANSPOSED", dtype);
    add("WGMMA_TRANSPOSED", "WGMMA", dtype);
    add("TCGEN05", "TCGEN05_TRANSPOSED", dtype);
    add("TCGEN05_TRANSPOSED", "TCGEN05", dtype);
  }
  for (const char *dtype : {"f32", "f16", "i8", "f8e4m3fn"}) {
    add("WGMMA", "WGMMA_ACC_32BIT", dtype);
    add("WGMMA_ACC_32BIT", "WGMMA", dtype);
  }
  for (const char *dtype : {"i4", "i8", "f8e5m2", "i16", "bf16"})
    add("WGMMA_UPCAST_2X", "WGMMA", dtype);
  add("WGMMA_UPCAST_4X", "WGMMA_UPCAST_2X", "i4");
  add("WGMMA_UPCAST_4X", "WGMMA", "i4");
  for (const char *from : {"1", "2", "4", "8"})
    for (const char *to : {"1", "2", "4", "8"})
      add(("tmem_native_layout(" + std::string(from) + ")").c_str(),
          ("tmem_native_layout(" + std::string(to) + ")").c_str(), "i16");
  runCases("CV relayouts", cases, 60);
}

TEST(Relayouts, Mistakes) {
  auto kernel = [](const char *from, const char *to, const char *dtype, int n) {
    return text("@kernel()\ndef k(x: GMEM((128, ", n, "), ", dtype, "), o: Out((128, ", n, "), ", dtype,
                ")):\n  o[...] = layout_cast(load(x, layout=", from, ", optimized=False), ", to, ")\nk(zeros((128, ", n,
                "), ", dtype, "))\n");
  };
  expectError(kernel("WGMMA", "WGMMA_TRANSPOSED", "i8", 32), "there is no conversion from `WGMMA`");
  expectError(kernel("WGMMA_UPCAST_4X", "WGMMA", "i8", 32), "there is no conversion from `WGMMA_UPCAST_4X`");
  expectError(kernel("WGMMA_UPCAST_2X", "WGMMA", "f32", 32), "WGMMA_UPCAST_2X -> WGMMA (4, 8 and 16 bits)");
  expectError(kernel("WGMMA_UPCAST_2X", "WGMMA", "i4", 16), "32 columns at a time");
}

} // namespace
} // namespace lanescope::repl
