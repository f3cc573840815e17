// `load(…, eviction_policy=…)`: the policy of the L2 cache for the data that a load of global memory brings.
#include "tests/unit/repl/KernelSupport.h"

namespace lanescope::repl {
namespace {

std::string kernel(const std::string &load, const std::string &dtype = "f32") {
  return "@kernel(scratch=[SMEM((128, 128), " + dtype + ")])\ndef k(x: GMEM((128, 128), " + dtype +
         "), out: Out((128, 128), " + dtype + "), tile):\n  out[...] = " + load + "\n";
}

TEST(EvictionPolicy, OfEveryWidthGivesTheSameValues) {
  for (const char *dtype : {"f32", "f16", "bf16", "i32", "i8", "f8e4m3fn", "f64"})
    for (const char *layout : {"None", "WG_STRIDED((128, 128), vec_size=1)", "WG_STRIDED((128, 128), vec_size=2)"})
      for (const char *policy : {"evict_first", "evict_last"})
        expectRuns(kernel("load(x, layout=" + std::string(layout) + ", eviction_policy=\"" + policy + "\")", dtype) +
                   "x = (arange(128 * 128) % 97).reshape((128, 128)).astype(" + dtype +
                   ")\nassert max_error(k(x).astype(f32), x.astype(f32)) == 0\n");
}

TEST(EvictionPolicy, IsInThePtx) {
  expectRuns(kernel("load(x, layout=WG_STRIDED((128, 128), vec_size=4), eviction_policy=\"evict_last\")") +
             R"(text = ptx(k, zeros((128, 128), f32)).text
assert "createpolicy.fractional.L2::evict_last.b64" in text
assert "ld.global.L2::cache_hint.v4.b32" in text and "ld.global.v4" not in text
)");
  // A load of less than a word gets no policy, and neither does a load without the argument.
  expectRuns(kernel("load(x, layout=WG_STRIDED((128, 128), vec_size=1), eviction_policy=\"evict_last\")", "f16") +
             "assert \"cache_hint\" not in ptx(k, zeros((128, 128), f16)).text\n");
  expectRuns(kernel("load(x, eviction_policy=None)") +
             "assert \"cache_hint\" not in ptx(k, zeros((128, 128), f32)).text\n");
}

TEST(EvictionPolicy, MistakesAreTold) {
  const std::string call = "k(zeros((128, 128), f32))\n";
  expectError(kernel("load(x, eviction_policy=\"last\")") + call, "it is \"evict_first\" or \"evict_last\"");
  expectError(kernel("load(tile, eviction_policy=\"evict_last\")") + call, "`tile` is not in global memory");
  expectError(kernel("load(x.at[0, 0], eviction_policy=\"evict_last\")") + call, "is one element");
  expectError(kernel("load(x, eviction_policy=3)") + call, "eviction_policy");
}

} // namespace
} // namespace lanescope::repl
