// The tables of the prefixes for kernels' bodies: names that are builtins of the language, and names that are written
// in it (python/*.py).
#include "repl/kernel/pallas/Pallas.h"

#include "repl/kernel/gpu/trace/GpuTracer.h"
#include "repl/kernel/pallas/Libraries.h"
#include "repl/kernel/pallas/MutableArray.h"
#include "repl/kernel/pallas/Trees.h"

namespace lanescope::repl {
namespace {

using C = Context;
using A = BoundArguments;
using R = Result<Value>;

/// A builtin that is true if the kernel being traced is a SparseCore's.
Builtin onSubcore() {
  return {"_on_subcore", "_on_subcore()", "", [](C &context, const A &) -> R {
            return Value(context.evaluator.staging() && !dynamic_cast<GpuTracer *>(context.evaluator.staging()));
          }};
}

/// A builtin under a second name, for a library that defines its own function with the builtin's name.
Builtin native(std::string name, std::string builtin) {
  return {name, name + "(*arguments, **named)", "", [builtin](C &context, const A &args) -> R {
            Arguments all{args.rest(), args.keywords()};
            return context.evaluator.call(*context.evaluator.builtin(builtin), all, args.call);
          }};
}

Builtins with(Builtins table, Builtins more) {
  table.insert(table.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  return table;
}

/// The prefix for `ACC(shape, dtype)` and `ACC.init(value)`.
PrefixSpec accumulator(std::string path) {
  return {.path = std::move(path),
          .doc = "An accumulator of `wgmma`, in registers.",
          .natives = {native("_accumulator", "ACC")},
          .text = libraryText("mosaic_gpu.ACC"),
          .callable = "ACC"};
}

// NumPy's and JAX's names for functions of the language.
constexpr std::string_view kArrays =
    "exp exp2 log log2 sin cos tanh sqrt floor ceil sign abs absolute=abs fabs=abs maximum minimum where fmod copysign "
    "arctan2=atan2 transpose permute_dims=transpose reshape broadcast_to concatenate zeros ones full arange array "
    "allclose "
    "float16=f16 half=f16 float32=f32 single=f32 float64=f64 double=f64 int8=i8 int16=i16 int32=i32 int64=i64 "
    "uint8=u8 uint16=u16 uint32=u32 uint64=u64 bool_=i1 bool=i1 bfloat16=bf16 int4=i4 uint4=u4 "
    "float8_e4m3fn=f8e4m3fn float8_e5m2=f8e5m2 float8_e8m0fnu=f8e8m0fnu float4_e2m1fn=f4e2m1fn";

PrefixSpec arrays(std::string path, std::string alias, std::string doc) {
  return {.path = std::move(path),
          .alias = std::move(alias),
          .doc = std::move(doc),
          .spellings = kArrays,
          .text = libraryText("jax.numpy")};
}

std::vector<PrefixSpec> jaxPrefixes(const CurrentShards &shards) {
  return {
      {.path = "jax",
       .alias = "jax",
       .doc = "JAX's names that kernels use: `jax.numpy`, `jax.lax`, `jax.nn`, `jax.ShapeDtypeStruct`.",
       .natives = with(mutableArrayNatives(), shardMapNatives(shards)),
       .text = libraryText("jax")},
      {.path = "jax.debug", .doc = "Printing values in kernels.", .spellings = "print=debug_print"},
      arrays("jax.numpy", "jnp", "JAX's functions of arrays, on the host and in kernels."),
      arrays("numpy", "np", "NumPy's names of the language's functions of arrays."),
      {.path = "math",
       .alias = "math",
       .doc = "Functions of Python's numbers.",
       .spellings = "exp log log2 sin cos tanh",
       .text = libraryText("math")},
      {.path = "jax.lax",
       .alias = "lax",
       .doc = "JAX's functions of arrays, on the host and in kernels, and its loops and branches.",
       .spellings = "exp exp2 log log2 sin cos tanh sqrt rsqrt erf abs floor ceil sign round logistic max=maximum "
                    "min=minimum clamp div rem shift_left shift_right_arithmetic shift_right_logical clz atan2 "
                    "optimization_barrier bitcast_convert_type=bitcast transpose select concatenate full",
       .natives =
           with(with(treeNatives(), {onSubcore(), native("_slice", "slice"), native("_subcore_fori_loop", "fori_loop"),
                                     native("_broadcast_in_dim", "broadcast_in_dim"),
                                     native("_broadcasted_iota", "broadcasted_iota")}),
                shardAxes(shards)),
       .text = libraryText("jax.lax")},
      {.path = "jax.nn", .doc = "JAX's activations.", .text = libraryText("jax.nn")},
      {.path = "jax.experimental", .doc = "Pallas: kernels."},
  };
}

/// The names in `plgpu` of constants, and of memories that can be called.
std::vector<PrefixSpec> gpuNames(const std::string &gpu) {
  return {
      accumulator(gpu + ".ACC"),
      accumulator(gpu + ".WGMMAAccumulatorRef"),
      {.path = gpu + ".SMEM",
       .doc = "A buffer in shared memory.",
       .natives = {native("_buffer", "SMEM")},
       .text = libraryText("mosaic_gpu.SMEM"),
       .callable = "SMEM"},
      {.path = gpu + ".Layout",
       .doc = "Layouts of arrays in registers.",
       .spellings = "WG_STRIDED WG_SPLAT WGMMA WGMMA_8BIT WGMMA_UPCAST_2X WGMMA_UPCAST_4X WGMMA_TRANSPOSED WGMMA_ROW "
                    "WGMMA_COL TCGEN05 TCGEN05_TRANSPOSED TCGEN05_ROW TCGEN05_COL TCGEN05_M64_COLLECTIVE "
                    "TCGEN05_TMEM_NATIVE TMA_GATHER_INDICES=TMA_INDICES TMA_INDICES SMEM_GMEM_COPY MMA_LHS MMA_RHS "
                    "MMA_ACC TILED=TiledLayout"},
      {.path = gpu + ".TMEMLayout",
       .doc = "Layouts of tensor memory.",
       .spellings = "SCALES_LAYOUT SPARSE_METADATA_LAYOUT M64_COLLECTIVE_LAYOUT TMEM_DEFAULT"},
      {.path = gpu + ".MemorySpace", .doc = "Where memory is.", .spellings = "SMEM TMEM"},
      {.path = gpu + ".LoweringSemantics",
       .doc = "How a kernel is compiled.",
       .text = libraryText("mosaic_gpu.LoweringSemantics")},
      {.path = gpu + ".SemaphoreType",
       .doc = "Semaphores in global memory.",
       .natives = {native("_semaphore", "Semaphore")},
       .text = libraryText("mosaic_gpu.SemaphoreType")},
  };
}

constexpr std::string_view kGpuSpellings =
    "BlockSpec Squeezed Blocked Element Buffered Barrier ClusterBarrier Tiling Replicated TilingTransform "
    "SwizzleTransform RefUnion=Union TMEM WarpMesh TryClusterCancelResult "
    "copy_gmem_to_smem copy_smem_to_gmem async_prefetch wait_smem_to_gmem wait_gmem_to_smem commit_smem "
    "commit_smem_to_gmem_group barrier_arrive barrier_wait barrier_test wgmma wgmma_wait "
    "wgmma_accumulator_deref wgmma_accumulator_load wgmma_accumulator_store mma tcgen05_mma "
    "tcgen05_commit_arrive commit_tmem async_load_tmem async_store_tmem wait_load_tmem "
    "async_copy_smem_to_tmem async_copy_scales_to_tmem async_copy_sparse_metadata_to_tmem "
    "set_max_registers layout_cast load store print_layout broadcasted_iota inline_ptx "
    "atomic_add atomic_min atomic_max atomic_and atomic_or atomic_xor emit_pipeline "
    "emit_pipeline_warp_specialized nd_loop planar_snake dynamic_scheduling_loop find_swizzle "
    "semaphore_signal semaphore_wait semaphore_signal_parallel SemaphoreSignal try_cluster_cancel "
    "query_cluster_cancel PipelinePipeline griddepcontrol_wait griddepcontrol_launch_dependents CopyPartition "
    "remote_ref multicast_ref multimem_store multimem_load_reduce semaphore_signal_multicast";

} // namespace

std::vector<PrefixSpec> pallasPrefixes(std::shared_ptr<KernelRuntime> runtime, PallasTracing tracing) {
  const std::string pallas = "jax.experimental.pallas", gpu = pallas + ".mosaic_gpu";
  auto shards = std::make_shared<ShardRuns *>(nullptr);
  std::vector<PrefixSpec> out = jaxPrefixes(shards);
  out.push_back({.path = pallas,
                 .alias = "pl",
                 .doc = "Pallas: kernels, whatever their target.",
                 .spellings = "BlockSpec Squeezed Blocked Element Buffered semaphore_signal semaphore_wait "
                              "semaphore_read ds dslice=ds run_scoped get_global debug_print multiple_of program_id "
                              "num_programs core_map",
                 .natives = with(treeNatives(),
                                 {onSubcore(), native("_subcore_loop", "loop"), subcoreKernelBuiltin(runtime, shards)}),
                 .text = libraryText("jax.experimental.pallas")});
  out.push_back({.path = gpu,
                 .alias = "plgpu",
                 .doc = "Pallas' kernels for NVIDIA's GPUs: Mosaic GPU.",
                 .spellings = kGpuSpellings,
                 .natives = {pallasKernelBuiltin(std::move(runtime), std::move(tracing), std::move(shards)),
                             native("_cluster_ref", "cluster_ref"), native("_async_store_smem", "async_store_smem")},
                 .text = libraryText("jax.experimental.pallas.mosaic_gpu")});
  for (PrefixSpec &spec : gpuNames(gpu))
    out.push_back(std::move(spec));
  out.push_back({.path = pallas + ".tpu_sc",
                 .alias = "plsc",
                 .doc = "Pallas' kernels for SparseCores of TPUs.",
                 .spellings =
                     "kernel=sc_kernel BlockSpec ScalarSubcoreMesh VectorSubcoreMesh PackFormat parallel_loop loop "
                     "subcore_barrier num_lanes load_expanded store_compressed addupdate addupdate_compressed "
                     "load_gather store_scatter addupdate_scatter fetch_and_add cumsum cummax cummin scan_count sort "
                     "sort_key_val all_reduce_population_count all_reduce_ffs pack unpack rev VMEM VMEM_SHARED HBM "
                     "SemaphoreType emit_pipeline async_copy sync_copy make_async_copy"});
  out.push_back({.path = pallas + ".tpu",
                 .alias = "pltpu",
                 .doc = "The names of Pallas' prefix for TPUs that SparseCore kernels use.",
                 .spellings = "VMEM VMEM_SHARED HBM HOST SemaphoreType async_copy make_async_copy async_remote_copy "
                              "sync_copy emit_pipeline BlockSpec"});
  return out;
}

} // namespace lanescope::repl
