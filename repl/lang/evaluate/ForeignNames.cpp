#include "repl/lang/evaluate/ForeignNames.h"

#include "layouts/support/Text.h"
#include "repl/lang/syntax/NotInSnippets.h"

#include <algorithm>
#include <utility>

namespace lanescope::repl {

std::string_view foreignName(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      // Triton
      {"program_id", "the block's place is `lax.axis_index(\"name\")`, with `grid_names=` in `plgpu.kernel`"},
      {"num_programs", "the size of the grid's axis is `lax.axis_size(\"name\")`"},
      {"tl", "kernels are written in Pallas' words: `plgpu.load`, `lax.axis_index`, `jnp.sum`, …"},
      {"constexpr", "values that are known while tracing are plain Python: close over them"},
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
      {"fence_proxy_async", "`plgpu.commit_smem()` publishes writes to the copies"},
      // Pallas' other targets and older names
      {"pallas_call", "kernels are `@kernel(…)` or `plgpu.kernel(body, out_type=…)` here"},
      {"semaphore_wait", "it is `pl.semaphore_wait`"},
      {"semaphore_signal", "it is `pl.semaphore_signal`"},
      {"run_scoped", "it is `pl.run_scoped`"},
      {"when", "it is `pl.when`"},
      {"debug", "kernels print with `pl.debug_print`, the host with `print`"},
      {"debug_print", "it is `pl.debug_print`"},
      {"run_state", "it is `pl.run_state`"},
      {"loop", "it is `pl.loop`"},
      {"cdiv", "it is `pl.cdiv`"},
      {"axis_index", "it is `lax.axis_index`"},
      {"axis_size", "it is `lax.axis_size`"},
      {"fori_loop", "it is `lax.fori_loop`"},
      {"core_map", "it is `pl.core_map`"},
      {"gpu", "kernels for NVIDIA's GPUs are of `plgpu`, which is `jax.experimental.pallas.mosaic_gpu`"},
      {"triton", "kernels here are of Mosaic GPU: `plgpu`"},
      {"ds", "it is `pl.ds`"},
      {"VMEM", "GPUs have `plgpu.SMEM`; VMEM is a SparseCore's: `plsc.VMEM`"},
      {"PrefetchScalarGridSpec", "read the numbers from a reference in the kernel: `ids_ref[i]`"},
  };
  for (const auto &[known, here] : kNames)
    if (known == name)
      return here;
  return {};
}

namespace {

struct Tool {
  std::string_view names; // the names under which programs import the tool
  std::string_view maker; // the owner of these names, such as "Triton's"
};
constexpr Tool kTools[] = {
    {"functools itertools dataclasses collections contextlib enum typing abc operator copy os sys time argparse "
     "logging warnings pytest unittest scipy ml_dtypes",
     "Python's"},
    {"tl triton", "Triton's"},
    {"gl gluon ttgl", "Gluon's"},
    {"cute cutlass utils pipeline", "CuTe's"},
    {"cuda threadIdx blockIdx blockDim gridDim nvcuda wmma", "CUDA's"},
    {"T tilelang", "TileLang's"},
    {"mgpu", "Mosaic GPU's"},
    {"torch", "PyTorch's"},
};

constexpr std::string_view kRead = "`x[...]` reads an array or a part of it, `x[ds(i * n, n)]`";
constexpr std::string_view kWrite = "`out[...] = value` writes an array, `out[ds(i * n, n)] = value` a part of it";
constexpr std::string_view kPlace =
    "`axis_index(name)` is the block's place in the grid, with `grid_names=` in `@kernel`";
constexpr std::string_view kThreads =
    "a kernel's arrays belong to a whole warpgroup, and layouts say which thread holds "
    "what; `axis_index(thread_name)` is the warpgroup's number";
constexpr std::string_view kProduct = "products are `wgmma(acc, a, b)` into an `ACC(…)`, `mma(acc, a, b)`, or "
                                      "`tcgen05_mma` on sm_100a";
constexpr std::string_view kCopy =
    "copies are `copy_gmem_to_smem(src, dst, barrier)` and `copy_smem_to_gmem(src, dst)`";
constexpr std::string_view kBarrier = "barriers are `Barrier(num_arrivals=…)` in `scratch`, with `barrier_arrive` and "
                                      "`barrier_wait`";
constexpr std::string_view kLayout = "`layout(\"(8, 4):(4, 1)\")` reads a layout of CuTe, and `show(…)` draws it";
constexpr std::string_view kStatic = "loops over `static_range(n)` are unrolled, `range(n)` runs on the device";
constexpr std::string_view kShared = "shared memory is `SMEM(shape, dtype)` in `scratch`";

struct Use {
  std::string_view maker, names, here;
};
constexpr Use kUses[] = {
    {"Triton's", "load", kRead},
    {"Triton's", "store", kWrite},
    {"Triton's", "program_id", kPlace},
    {"Triton's", "num_programs", "`axis_size(name)` is the size of the grid's axis"},
    {"Triton's", "dot dot_scaled", kProduct},
    {"Triton's", "arange", "`broadcasted_iota(i32, (n,), 0)`, or `arange(n)` on the host"},
    {"Triton's", "make_block_ptr advance make_tensor_descriptor", "a part of an array is `ref.at[ds(start, size), :]`"},
    {"Triton's", "trans permute", "`ref.T` is a reference transposed"},
    {"Triton's", "expand_dims", "`x[:, None]`"},
    {"Triton's", "sigmoid", "`logistic(x)`"},
    {"Triton's", "fma", "`a * b + c`"},
    {"Triton's", "cast", "`x.astype(dtype)`"},
    {"Triton's", "constexpr", "values that are known while tracing are plain Python: name them outside of the kernel"},
    {"Triton's", "static_range", kStatic},
    {"Triton's", "cdiv", "`(a + b - 1) // b`, or `pl.cdiv(a, b)`"},
    {"Triton's", "debug_barrier", kBarrier},
    {"Triton's", "device_print", "`debug_print(\"{}\", x)`"},
    {"Triton's", "static_print", "`print(…)` in a kernel prints while it is traced"},
    {"Triton's", "static_assert device_assert", "`assert`"},
    {"Triton's", "jit autotune heuristics Config", "`@kernel(grid=…, num_threads=…)` makes a kernel of a function"},
    {"Triton's", "float32", "`f32`"},
    {"Triton's", "float16", "`f16`"},
    {"Triton's", "bfloat16", "`bf16`"},
    {"Triton's", "int32", "`i32`"},
    {"Gluon's", "allocate_shared_memory", kShared},
    {"Gluon's", "BlockedLayout NVMMADistributedLayout SliceLayout", "`layout(\"…\")` reads a layout of Gluon"},
    {"Gluon's", "load", kRead},
    {"Gluon's", "store", kWrite},
    {"Gluon's", "program_id", kPlace},
    {"CuTe's", "copy TiledCopy make_tiled_copy", kCopy},
    {"CuTe's", "gemm TiledMma make_tiled_mma make_mma_atom", kProduct},
    {"CuTe's", "make_layout make_ordered_layout Layout make_composed_layout", kLayout},
    {"CuTe's", "make_tensor make_rmem_tensor make_fragment",
     "memory is a parameter of the kernel, or `SMEM(shape, dtype)` "
     "in `scratch`; arrays in registers come of reading it"},
    {"CuTe's", "local_tile zipped_divide logical_divide", "a part of an array is `ref.at[ds(start, size), :]`"},
    {"CuTe's", "arch", kThreads},
    {"CuTe's", "jit kernel", "`@kernel(grid=…, num_threads=…)` makes a kernel of a function"},
    {"CuTe's", "printf print_tensor", "`debug_print(\"{}\", x)`"},
    {"CuTe's", "size cosize rank shape", "`x.shape` of an array; of a layout `help(layout(\"…\"))` lists its members"},
    {"CuTe's", "Float32", "`f32`"},
    {"CuTe's", "Float16", "`f16`"},
    {"CuTe's", "BFloat16", "`bf16`"},
    {"CuTe's", "PipelineTmaAsync PipelineTmaUmma PipelineAsync", "`emit_pipeline(body, grid=…, in_specs=[…])`"},
    {"CUDA's", "x y z threadIdx blockDim", kThreads},
    {"CUDA's", "blockIdx", kPlace},
    {"CUDA's", "grid gridsize", kPlace},
    {"CUDA's", "syncthreads syncwarp", "warpgroups meet at a `Barrier`; within one, no call is needed"},
    {"CUDA's", "shared local", kShared},
    {"CUDA's", "atomic", "`atomic_add(ref, value)`"},
    {"CUDA's", "jit", "`@kernel(grid=…, num_threads=…)` makes a kernel of a function"},
    {"CUDA's", "mma_sync load_matrix_sync fragment", kProduct},
    {"TileLang's", "copy", kCopy},
    {"TileLang's", "gemm", kProduct},
    {"TileLang's", "alloc_shared", kShared},
    {"TileLang's", "alloc_fragment", "an accumulator is `ACC(shape, f32)` in `scratch`"},
    {"TileLang's", "Kernel prim_func", "`@kernel(grid=…, num_threads=…)` makes a kernel of a function"},
    {"TileLang's", "Pipelined", "`emit_pipeline(body, grid=…, in_specs=[…])`"},
    {"TileLang's", "Parallel serial unroll", kStatic},
    {"Mosaic GPU's", "FragmentedArray", "arrays of kernels come of reading memory, `x[...]`, in the layout that fits"},
    {"Mosaic GPU's", "TiledLayout Tiling", "`TiledLayout(…)` and `Tiling(…)` are builtins"},
};

bool isAmong(std::string_view names, std::string_view wanted) {
  while (!names.empty()) {
    size_t end = std::min(names.find(' '), names.size());
    if (names.substr(0, end) == wanted)
      return true;
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return false;
}

} // namespace

std::string foreignUse(std::string_view tool, std::string_view name, bool builtin) {
  const auto *known = std::ranges::find_if(kTools, [&](const Tool &one) { return isAmong(one.names, tool); });
  if (known == std::end(kTools))
    return {};
  if (known->maker == "Python's")
    return notInSnippets(text("`", tool, "`"));
  for (const Use &use : kUses)
    if (use.maker == known->maker && isAmong(use.names, name))
      return text("`", tool, ".", name, "` is ", known->maker, "; here ", use.here);
  if (name.empty())
    return text("`", tool, "` is ", known->maker, ", whose kernels are not read here; these are written in Pallas' ",
                "words (docs/coming-from-jax.md)");
  if (builtin)
    return text("`", tool, ".", name, "` is ", known->maker, "; here it is `", name, "`, a builtin");
  return text("`", tool, ".", name, "` is ", known->maker, ", whose kernels are not read here; these are written in ",
              "Pallas' words (docs/coming-from-jax.md), and `help()` lists them");
}

std::string absentName(std::string_view name) {
  constexpr std::string_view kShell =
      "is a command of a shell; a snippet reaches no files but those that `load`, `save` "
      "and `run(\"file.py\")` name";
  constexpr std::string_view kSlept =
      "is not here, for a snippet does not reach the host system; `load` and `save` read "
      "and write arrays";
  constexpr std::string_view kMatmul = "is `a @ b` on the host, and `mma(acc, a, b)` or `wgmma(acc, a, b)` in kernels";
  static constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"inline_mgpu", "is not needed: define a function, and write PTX with `inline_ptx`"},
      {"open", kSlept},
      {"input", "is not here: a snippet reads nothing but what `load` names"},
      {"warp_map", "is `core_map(WarpMesh(axis_name=…))` here"},
      // CuTe
      {"Layout", "is `make_layout(shape, stride)` here; `layout(\"…\")` reads its text"},
      {"ComposedLayout", "is `composition(Swizzle(3, 4, 3), layout)` here"},
      {"make_composed_layout", "is `composition(Swizzle(3, 4, 3), layout)` here"},
      {"make_tensor", "is of memory; the layout alone is `make_layout(shape, stride)`"},
      {"Shape", "is `make_shape(4, 8)` or the tuple here"},
      {"Stride", "is `make_stride(8, 1)` or the tuple here"},
      {"Step", "is a tuple here, as `tile_to_shape(block, shape, (2, 1))`"},
      {"Tile", "is `make_tile(32, \"8:2\")` or the tuple here"},
      {"MMA_Atom", "is `mma_atom(\"SM80_16x8x16_F32F16F16F32_TN\")` here"},
      {"TiledMMA", "is `make_tiled_mma(atom, thr_layout, permutation)` here"},
      {"Copy_Atom", "is `copy_atom(\"SM75_U32x4_LDSM_N\", f16)` here"},
      {"TiledCopy", "is `make_tiled_copy(atom, thr_layout, val_layout)` here"},
      {"make_copy_atom", "is `copy_atom(\"SM75_U32x4_LDSM_N\", f16)` here"},
      {"make_mma_atom", "is `mma_atom(\"SM80_16x8x16_F32F16F16F32_TN\")` here"},
      {"make_cotiled_copy", "is not here; `make_tiled_copy(atom, thr_layout, val_layout)` is"},
      {"get_slice", "is a method: `make_tiled_mma(…).get_slice(thread)`"},
      {"get_thread_slice", "is a method: `make_tiled_mma(…).get_thread_slice(thread)`"},
      {"partition_A", "is a method: `make_tiled_mma(…).get_slice(thread).partition_A(layout)`"},
      {"partition_B", "is a method: `make_tiled_mma(…).get_slice(thread).partition_B(layout)`"},
      {"partition_C", "is a method: `make_tiled_mma(…).get_slice(thread).partition_C(layout)`"},
      {"partition_S", "is a method: `make_tiled_copy(…).get_slice(thread).partition_S(layout)`"},
      {"partition_D", "is a method: `make_tiled_copy(…).get_slice(thread).partition_D(layout)`"},
      {"local_tile", "is `zipped_divide(layout, tiler)` here, called with the tile's coordinate: `(…)(None, (i, j))`"},
      {"local_partition", "is `zipped_divide(layout, threads)` here, called with a thread: `(…)(thread, None)`"},
      {"print_latex", "is `show(layout)` here; `lanescope show … -o x.tex` writes TikZ"},
      {"print_layout_tv", "is `show(layout, shape, memory=\"registers\")` here"},
      {"get_layoutA_TV", "is the field `LayoutA_TV` of what `make_tiled_mma` returns"},
      {"get_layoutB_TV", "is the field `LayoutB_TV` of what `make_tiled_mma` returns"},
      {"get_layoutC_TV", "is the field `LayoutC_TV` of what `make_tiled_mma` returns"},
      {"GenRowMajor", "is `LayoutRight` here"},
      {"GenColMajor", "is `LayoutLeft` here"},
      {"float16", "is `f16` here"},
      {"half", "is `f16` here"},
      {"bfloat16", "is `bf16` here"},
      {"float32", "is `f32` here"},
      {"float64", "is `f64` here"},
      {"double", "is `f64` here"},
      {"int8", "is `i8` here"},
      {"int16", "is `i16` here"},
      {"int32", "is `i32` here"},
      {"int64", "is `i64` here"},
      {"uint8", "is `u8` here"},
      {"uint16", "is `u16` here"},
      {"uint32", "is `u32` here"},
      {"uint64", "is `u64` here"},
      {"float8_e4m3fn", "is `f8e4m3fn` here"},
      {"float8_e5m2", "is `f8e5m2` here"},
      {"swizzle", "is `SwizzleTransform(128)` among an `SMEM`'s transforms, or `swizzle=` of `smem_map`"},
      {"tiling", "is `TilingTransform((8, 64))` among an `SMEM`'s transforms, or `tiling=` of `smem_map`"},
      {"relu", "is `maximum(x, 0)` here"},
      {"sigmoid", "is `logistic(x)` here"},
      {"softmax", "is `jax.nn.softmax(x)` here"},
      {"matmul", kMatmul},
      {"dot", kMatmul},
      {"inf", "is `float(\"inf\")` here"},
      {"nan", "is `float(\"nan\")` here"},
      {"argmax", "is `min(where(x == max(x), arange(n, dtype=i32), n))` of the n elements of x here"},
      {"argmin", "is `min(where(x == min(x), arange(n, dtype=i32), n))` of the n elements of x here"},
      {"fori_loop", "is `for i in range(n):` here, or `lax.fori_loop`"},
      {"when", "is `if` here, or `pl.when`"},
      {"cdiv", "is `(a + b - 1) // b` here, or `pl.cdiv`"},
      {"pallas_call", "is of programs: here `@kernel(…)` or `plgpu.kernel(body, out_type=…)` makes a kernel"},
      {"syncthreads", "is not needed: warpgroups meet at a `Barrier`, and within one nothing waits"},
      {"__syncthreads", "is not needed: warpgroups meet at a `Barrier`, and within one nothing waits"},
      {"printf", "is `print(…)` here, and in kernels `debug_print(\"{}\", x)`"},
      {"ls", kShell},
      {"cd", kShell},
      {"pwd", kShell},
      {"clear", "is no name here; Ctrl-L clears a terminal"},
      {"cls", "is no name here; Ctrl-L clears a terminal"},
  };
  for (const auto &[known, why] : kNames)
    if (known == name)
      return text("`", name, "` ", why);
  constexpr std::string_view kOfPython =
      "set frozenset hash id ascii super object issubclass staticmethod classmethod setattr vars partial NamedTuple "
      "Enum IntEnum Exception ValueError "
      "TypeError KeyError IndexError RuntimeError AttributeError AssertionError NotImplementedError StopIteration "
      "ZeroDivisionError";
  if (isAmong(kOfPython, name))
    return notInSnippets(text("`", name, "`"));
  constexpr std::string_view kUnclear = "T utils pipeline math"; // also names that users choose for other things
  return isAmong(kUnclear, name) ? std::string() : foreignUse(name, "", false);
}

} // namespace lanescope::repl
