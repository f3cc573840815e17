// The SparseCore emulator: a gather of 65536 rows of 128 floats from a table of the same size, over 32 vector subcores,
// with and without the checker. The time is that of the whole run, including copying arrays in and out. `rows_per_s`.
#include "core/ir/KernelModule.h"
#include "core/tpu/decode/Decode.h"
#include "core/tpu/emulator/TpuEmulator.h"
#include "core/tpu/ir/TpuContext.h"

#include <benchmark/benchmark.h>

#include <cstring>

namespace lanescope::core::sparsecore {
namespace {

constexpr int64_t kRows = 65536, kWidth = 128;

// Each subcore gathers 2048 rows, 256 at a time.
constexpr const char *kGather = R"(
#hbm = #tpu.memory_space<hbm>
#vmem = #tpu.memory_space<vmem>
#sem = #tpu.memory_space<semaphore_mem>
func.func @gather(%core: i32, %sub: i32, %table: memref<65536x128xf32, #hbm>, %indices: memref<65536xi32, #hbm>,
                  %out: memref<65536x128xf32, #hbm>, %at: memref<256xi32, #vmem>, %rows: memref<256x128xf32, #vmem>,
                  %s: memref<!tpu.dma_semaphore, #sem>)
    attributes {dimension_semantics = [#tpu.dimension_semantics<core_parallel>, #tpu.dimension_semantics<subcore_parallel>],
                iteration_bounds = array<i64: 2, 16>, scratch_operands = 3 : i64,
                tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %subcores = arith.constant 16 : i32
  %chunks = arith.constant 8 : i32
  %chunk = arith.constant 256 : i32
  %own = arith.constant 2048 : i32
  %first = arith.muli %core, %subcores : i32
  %worker = arith.addi %first, %sub : i32
  %base = arith.muli %worker, %own : i32
  scf.for %i = %zero to %chunks step %one : i32 {
    %offset = arith.muli %i, %chunk : i32
    %begin = arith.addi %base, %offset : i32
    %some = tpu.memref_slice %indices[%begin] : memref<65536xi32, #hbm> -> memref<256xi32, #hbm>
    tpu.enqueue_dma source(%some : memref<256xi32, #hbm>) target(%at : memref<256xi32, #vmem>) target_semaphore(%s : memref<!tpu.dma_semaphore, #sem>)
    tpu.wait_dma2 semaphore(%s : memref<!tpu.dma_semaphore, #sem>) src(%some : memref<256xi32, #hbm>) dst(%at : memref<256xi32, #vmem>)
    tpu.enqueue_indirect_dma source(%table : memref<65536x128xf32, #hbm>) target(%rows : memref<256x128xf32, #vmem>) offsets(%at : memref<256xi32, #vmem>) semaphore(%s : memref<!tpu.dma_semaphore, #sem>)
    tpu.wait_indirect_dma semaphore(%s : memref<!tpu.dma_semaphore, #sem>) src(%table : memref<65536x128xf32, #hbm>) dst(%rows : memref<256x128xf32, #vmem>)
    %to = tpu.memref_slice %out[%begin, %zero] : memref<65536x128xf32, #hbm> -> memref<256x128xf32, #hbm>
    tpu.enqueue_dma source(%rows : memref<256x128xf32, #vmem>) target(%to : memref<256x128xf32, #hbm>) target_semaphore(%s : memref<!tpu.dma_semaphore, #sem>)
    tpu.wait_dma2 semaphore(%s : memref<!tpu.dma_semaphore, #sem>) src(%rows : memref<256x128xf32, #vmem>) dst(%to : memref<256x128xf32, #hbm>)
  }
  return
}
)";

void gather(benchmark::State &state) {
  IrContext context = makeTpuContext();
  auto module = parseModule(context, Source::make("gather.mlir", kGather));
  auto program = module ? decodeProgram(*module) : std::unexpected(module.error());
  if (!program) {
    state.SkipWithError(render(program.error()).c_str());
    return;
  }
  std::vector<Array> inputs{Array::zeros(Dtype::F32, {kRows, kWidth}), Array::zeros(Dtype::I32, {kRows})};
  for (int64_t k = 0; k < kRows; ++k) {
    inputs[0].setNumber(k * kWidth, static_cast<double>(k));
    inputs[1].setInteger(k, k * 40503 % kRows); // each row once, in scrambled order
  }
  EmulatorOptions options;
  options.instant = state.range(0) == 0;
  for (auto _ : state) {
    auto result = emulate(*program, inputs, options);
    if (!result || !result->diagnostics.empty() || result->outputs[0].number(7 * kWidth) != 7 * 40503 % kRows) {
      state.SkipWithError("the kernel failed");
      return;
    }
  }
  state.counters["rows_per_s"] = benchmark::Counter(
      static_cast<double>(kRows) * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(gather)->ArgName("checks")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

} // namespace
} // namespace lanescope::core::sparsecore
