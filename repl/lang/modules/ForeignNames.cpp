#include "repl/lang/modules/ForeignNames.h"

#include <utility>

namespace lanescope::repl {

std::string_view foreignName(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      // Triton
      {"program_id", "the block's place is `lax.axis_index(\"name\")`, with `grid_names=` in `plgpu.kernel`"},
      {"num_programs", "the size of the grid's axis is `lax.axis_size(\"name\")`"},
      {"tl", "kernels are written in Pallas' words: `plgpu.load`, `lax.axis_index`, `jnp.sum`, …"},
      {"constexpr",
       "values that are known while tracing are plain Python: close over them, or pass them with `functools.partial`"},
      {"make_block_ptr", "a part of an array is `ref.at[pl.ds(start, size), :]`"},
      {"dot", "products are `plgpu.wgmma(acc, a, b)` into `plgpu.ACC(…)`, or `plgpu.tcgen05_mma` on sm_100a"},
      {"autotune", "loop over the parameters and compare `run(kernel, …).time_us`"},
      // CuTe, CUTLASS
      {"make_tensor", "memory is an array or `plgpu.SMEM(shape, dtype)`; `ref.at[…]` is a part of it"},
      {"cp_async", "copies are `plgpu.copy_gmem_to_smem(src, dst, barrier)`"},
      {"cp_async_bulk", "copies are `plgpu.copy_gmem_to_smem(src, dst, barrier)`"},
      {"tma_load", "copies are `plgpu.copy_gmem_to_smem(src, dst, barrier)`"},
      {"tma_store", "copies are `plgpu.copy_smem_to_gmem(src, dst)`"},
      {"mbarrier", "barriers are `plgpu.Barrier(num_arrivals=…)`, `plgpu.barrier_arrive` and `plgpu.barrier_wait`"},
      {"syncthreads", "warpgroups meet at `plgpu.Barrier`; within one, no call is needed"},
      {"warpgroup_mma", "products are `plgpu.wgmma(acc, a, b)`"},
      {"fence_proxy_async", "what the copies are to see is published by `plgpu.commit_smem()`"},
      // Pallas' other targets and older names
      {"pallas_call", "it is `pl.pallas_call`, of `jax.experimental.pallas`"},
      {"semaphore_wait", "it is `pl.semaphore_wait`, of `jax.experimental.pallas`"},
      {"semaphore_signal", "it is `pl.semaphore_signal`, of `jax.experimental.pallas`"},
      {"run_scoped", "it is `pl.run_scoped`, of `jax.experimental.pallas`"},
      {"when", "it is `pl.when`, of `jax.experimental.pallas`"},
      {"ds", "it is `pl.ds`, of `jax.experimental.pallas`"},
      {"VMEM", "GPUs have `plgpu.SMEM`; VMEM is a SparseCore's: `jax.experimental.pallas.tpu_sc`"},
      {"PrefetchScalarGridSpec", "read the numbers from a reference in the kernel: `ids_ref[i]`"},
      {"vmap", "give the kernel one more grid axis instead"},
      {"pmap", "kernels run on one device here"},
      {"shard_map", "kernels run on one device here"},
      {"grad", "nothing is differentiated here; write the backward kernel"},
      {"value_and_grad", "nothing is differentiated here; write the backward kernel"},
      {"make_jaxpr", "`ir(kernel)` shows what a kernel becomes"},
      {"memmap", "`load(path)` reads arrays"},
      {"save", "`save(path, x)` writes an array"},
      {"load", "`load(path)` reads an array; in kernels it is `plgpu.load(ref, …)`"},
      {"savez", "`save(path, x)` writes an array"},
      {"fromfile", "`load(path)` reads `.npy` and `.npz`"},
      {"seed", "`np.random.default_rng(seed)` makes a generator with a seed"},
      {"rand", "`np.random.default_rng(seed).random(shape)`"},
      {"randn", "`np.random.default_rng(seed).standard_normal(shape)`"},
      {"RandomState", "`np.random.default_rng(seed)` is the generator that there is"},
  };
  for (const auto &[known, here] : kNames)
    if (known == name)
      return here;
  return {};
}

} // namespace lanescope::repl
