// kernels/blackwell_*.py on the emulator, with more sizes and tile shapes than their own checks use.
#include "Tcgen05Support.h"

#include <fstream>
#include <random>
#include <sstream>

namespace lanescope::repl {
namespace {

/// The file without its own check.
std::string library(const std::string &name) {
  std::ifstream file(LANESCOPE_SOURCE_DIR "/kernels/" + name);
  std::stringstream text;
  text << file.rdbuf();
  std::string all = text.str();
  size_t end = all.find("# The check");
  EXPECT_NE(end, std::string::npos) << name;
  return all.substr(0, end);
}

struct Matmul {
  int m, n, k, tileN, stages, pair;
  const char *dtype, *blocks;
};

std::string snippet(const Matmul &p) {
  return text(library("blackwell_matmul.py"), "a, b = random((", p.m, ", ", p.k, "), ", p.dtype, ", seed=0), random((",
              p.k, ", ", p.n, "), ", p.dtype, ", seed=1)\nresult = make_matmul(", p.dtype, ", ", p.pair, ", ", p.blocks,
              ", ", p.tileN, ", ", p.stages, R"()(a, b).astype(f32)
expected = a.astype(f32) @ b.astype(f32)
assert allclose(result, expected.astype()",
              p.dtype, ").astype(f32), atol=2e-3, rtol=1e-2), f\"off by {max_error(result, expected)}\"\n");
}

// Separate warps for copies and products, persistent blocks, a warpgroup that stores, groups of rows, pairs.
// inventory: EX matmul_sm100, EX tutorial/stage1, EX tutorial/stage3, EX tutorial/stage4, EX tutorial/stage5,
// EX tutorial/stage6
TEST(BlackwellKernels, MatmulOfManySizes) {
  std::mt19937 drawn(7);
  auto one = [&](std::initializer_list<int> of) { return *(of.begin() + drawn() % of.size()); };
  for (int i = 0; i < (full() ? 200 : 6); ++i) {
    Matmul p{.m = one({256, 512, 768}),
             .n = one({256, 512}),
             .k = one({64, 128, 320, 512}),
             .tileN = one({64, 128, 256}),
             .stages = one({2, 3, 4}),
             .pair = one({1, 2}),
             .dtype = drawn() % 2 ? "f16" : "bf16",
             .blocks = drawn() % 2 ? "None" : "1"};
    if (p.pair == 2)
      p.tileN = std::max(p.tileN, 128);
    expectRunsThere(snippet(p));
  }
}

TEST(BlackwellKernels, MixtureOfExpertsOfAnyRouting) {
  const std::string all = library("blackwell_experts.py");
  int count = 0;
  for (const char *chosen : {"0", "t % 3", "2 if t < 129 else 5", "(t * 37 + t // 5) % 6", "5 - t % 2 * 5"})
    for (int tokens : {1, 333}) {
      if (count++ % 3 != 0 && !full())
        continue;
      expectRunsThere(text(all, "E, T = 6, ", tokens, "\nchosen = [", chosen, R"( for t in range(T)]
x, weights = random((T, 128), f16, seed=0), random((E, 128, 128), f16, seed=1)
result = make_experts(f16)(x, weights, *route(chosen, E)).astype(f32)
expected = [x.astype(f32) @ weights[e].astype(f32) for e in range(E)]
for t in range(T):
  assert allclose(result[t], expected[chosen[t]][t], rtol=2e-3, atol=2e-3), f"token {t}"
)"));
    }
}

// One warpgroup computes everything, and a pipeline copies. A product reads its blocks one round longer.
// inventory: EX tutorial/stage0
TEST(BlackwellKernels, MatmulByAPipeline) {
  for (int stages : {2, 4})
    expectRunsThere(text("stages = ", stages, R"(
sw = (TilingTransform((8, 64)), SwizzleTransform(128))
@kernel(grid=lambda: (M // 128, N // 128), grid_names=("m", "n"),
        scratch=[TMEM((128, 128), f32), SMEM((128, 128), f16, transforms=sw),
                 Barrier(num_barriers=2, orders_tensor_core=True)])
def matmul(a: GMEM((M, K), f16), b: GMEM((K, N), f16), out: Out((M, N), f16), total, tile, read):
  m, n, steps = axis_index("m"), axis_index("n"), K // 64
  def multiply(indices, a_tile, b_tile):
    step = indices[0]
    tcgen05_mma(total, a_tile, b_tile, read.at[step % 2], accumulate=step > 0)
    if step > 0:
      barrier_wait(read.at[(step + 1) % 2])
  emit_pipeline(multiply, grid=(steps,), max_concurrent_steps=stages,
                in_specs=[BlockSpec((128, 64), lambda k: (m, k), transforms=sw, delay_release=1),
                          BlockSpec((64, 128), lambda k: (k, n), transforms=sw, delay_release=1)])(a, b)
  barrier_wait(read.at[(steps - 1) % 2])
  tile[...] = async_load_tmem(total).astype(f16)
  commit_smem()
  copy_smem_to_gmem(tile, out.at[ds(m * 128, 128), ds(n * 128, 128)])
  wait_smem_to_gmem(0)
a, b = random((256, 448), f16, seed=0), random((448, 256), f16, seed=1)
assert allclose(matmul(a, b).astype(f32), a.astype(f32) @ b.astype(f32), atol=1e-2, rtol=1e-2)
)"));
}

// There are more tiles than a B200 has multiprocessors: blocks take over other blocks' work, and the last group of rows
// is smaller.
TEST(BlackwellKernels, MatmulTakesOverTiles) {
  for (int pair : {1, 2})
    expectRunsThere(snippet({3072, 2048, 64, 128, 2, pair, "f16", "None"}));
}

// inventory: EX flash_attention
TEST(BlackwellKernels, Attention) {
  int count = 0;
  for (int width : {64, 128})
    for (int length : {128, 384, 512})
      for (const char *approx : {"False", "True"}) {
        if (count++ % 3 != 0 && !full())
          continue;
        expectRunsThere(text(library("blackwell_attention.py"), "width, length = ", width, ", ", length,
                             "\nq, k, v = [random((1, length, 2, width), f16, seed=seed) for seed in (14, 15, 16)]\n",
                             "result = make_attention(1, length, 2, width, approx=", approx, R"()(q, k, v)
for head in range(2):
  s = q[0, :, head].astype(f32) @ transpose(k[0, :, head].astype(f32))
  p = exp(s - reshape(max(s, axis=1), (length, 1)))
  expected = (p / reshape(sum(p, axis=1), (length, 1))) @ v[0, :, head].astype(f32)
  assert allclose(result[0, :, head].astype(f32), expected, atol=2e-3, rtol=2e-3)
)"));
      }
}

struct Left {
  const char *file, *line, *kind; // the statement to leave out, and the finding that the emulator then reports
};

void PrintTo(const Left &left, std::ostream *out) { *out << left.file << " without " << left.line; }

class WithoutOneStatement : public ::testing::TestWithParam<Left> {};

// Every statement that orders something is needed. Without it the emulator reports what may go wrong, at a line of the
// file.
TEST_P(WithoutOneStatement, TheCheckerSaysWhatMayGoWrong) {
  const Left &left = GetParam();
  std::ifstream file(std::string(LANESCOPE_SOURCE_DIR "/kernels/") + left.file);
  std::stringstream stream;
  stream << file.rdbuf();
  std::string all = stream.str();
  size_t at = all.find(left.line);
  ASSERT_NE(at, std::string::npos);
  KernelOptions strict = blackwell();
  strict.emulation.strict = true;
  Snippet done(all.replace(at, std::string(left.line).size(), "pass"), strict);
  ASSERT_FALSE(done.ok);
  EXPECT_EQ(done.diagnostics.front().kind, left.kind) << done.errors;
  EXPECT_EQ(done.errors.rfind("k.py:", 0), 0U) << done.errors;
}

INSTANTIATE_TEST_SUITE_P(
    Matmul, WithoutOneStatement,
    ::testing::Values(Left{"blackwell_matmul.py", "barrier_wait(read.at[stage])", "overwritten-in-flight"},
                      Left{"blackwell_matmul.py", "barrier_wait(taken.at[half])", "tmem-race"},
                      Left{"blackwell_matmul.py", "barrier_wait(loaded.at[stage])", "copy-not-awaited"},
                      Left{"blackwell_matmul.py", "tcgen05_commit_arrive(summed.at[half], together)", "deadlock"},
                      Left{"blackwell_matmul.py", "barrier_wait(summed.at[half])", "mma-not-awaited"},
                      Left{"blackwell_matmul.py", "wait_smem_to_gmem(1, wait_read_only=True)", "overwritten-in-flight"},
                      Left{"blackwell_matmul.py", "commit_smem()", "missing-proxy-fence"},
                      Left{"blackwell_matmul.py", "barrier_arrive(taken.at[half])", "deadlock"},
                      Left{"blackwell_matmul.py", "wait_smem_to_gmem(0)", "unfinished-copy"}));

INSTANTIATE_TEST_SUITE_P(
    Attention, WithoutOneStatement,
    ::testing::Values(Left{"blackwell_attention.py", "barrier_wait(k_read.at[stage])", "mbarrier"},
                      Left{"blackwell_attention.py", "barrier_wait(v_read.at[stage])", "copy-not-awaited"},
                      Left{"blackwell_attention.py", "barrier_wait(q_loaded)", "copy-not-awaited"},
                      Left{"blackwell_attention.py", "barrier_wait(k_loaded.at[step % stages])", "copy-not-awaited"},
                      Left{"blackwell_attention.py", "tcgen05_commit_arrive(scored.at[step % 2])", "deadlock"},
                      Left{"blackwell_attention.py", "barrier_wait(v_loaded.at[stage])", "copy-not-awaited"},
                      Left{"blackwell_attention.py", "barrier_wait(weighted)", "tmem-race"},
                      Left{"blackwell_attention.py", "barrier_wait(scored.at[step % 2])", "mma-not-awaited"},
                      Left{"blackwell_attention.py", "barrier_wait(multiplied)", "mma-not-awaited"},
                      Left{"blackwell_attention.py", "commit_tmem()", "tmem-store-in-flight"},
                      Left{"blackwell_attention.py", "barrier_arrive(weighted)", "deadlock"}));

INSTANTIATE_TEST_SUITE_P(
    Others, WithoutOneStatement,
    ::testing::Values(Left{"blackwell_experts.py", "barrier_wait(done)", "mma-not-awaited"},
                      Left{"blackwell_experts.py", "barrier_wait(loaded.at[stage])", "copy-not-awaited"},
                      Left{"blackwell_experts.py", "commit_smem()", "overwritten-in-flight"},
                      Left{"blackwell_matmul_scaled.py", "barrier_wait(loaded.at[stage])", "copy-not-awaited"},
                      Left{"blackwell_matmul_scaled.py", "barrier_wait(read.at[stage])", "mbarrier"}));

} // namespace
} // namespace lanescope::repl
