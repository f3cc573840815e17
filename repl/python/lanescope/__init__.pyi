# Made by lanescope/_stubs.py from the tables of builtins.
from typing import Any

from ._check import Findings as Findings, check as check, checked as checked
from ._errors import (
    ArgumentTypeError as ArgumentTypeError,
    ArgumentValueError as ArgumentValueError,
    Error as Error,
    Fault as Fault,
    Finding as Finding,
    HazardWarning as HazardWarning,
    NotInRangeError as NotInRangeError,
    NoteWarning as NoteWarning,
)
from ._kernel import Kernel as Kernel
from ._layouts import layout as layout
from ._many import check_many as check_many
from ._ptx import Ptx as Ptx, cuda as cuda, ptx as ptx
from ._record import recorded as recorded
from ._tune import tune as tune

__version__: str

class Value:
    """A layout, dtype, function, kernel, result or traced array."""

    def __getattr__(self, name: str) -> Any: ...
    def __call__(self, *arguments: Any, **named: Any) -> Any: ...
    def __getitem__(self, index: Any) -> Any: ...
    def __setitem__(self, index: Any, value: Any) -> None: ...

def configure(
    *, device: str = ..., arch: str = ..., seed: int = ..., strict: bool = ..., fast: bool = ..., timeout: float = ...,
    worker: str | list[str] = ...
) -> dict[str, Any]: ...

def ACC(shape: Any, dtype: Any = ...) -> Any:
    """An accumulator of `wgmma` in each warpgroup's registers, for `scratch`; zeros at first."""

def Barrier(num_arrivals: Any = ..., num_barriers: Any = ..., orders_tensor_core: Any = ...) -> Any:
    """A barrier, or a group of them, for `scratch`. A phase ends after `num_arrivals` arrivals of warpgroups; a copy counts as one."""

def BlockSpec(block_shape: Any = ..., index_map: Any = ..., transforms: Any = ..., delay_release: Any = ..., collective_axes: Any = ..., pipeline_mode: Any = ..., memory_space: Any = ..., indexed_by: Any = ..., indexed_dim: Any = ..., oob_fill_mode: Any = ...) -> Any:
    """The blocks of an array that a pipeline, or a step of a SparseCore kernel's grid, takes: `index_map(*indices)` gives the block for a place of the grid."""

def Blocked(size: Any) -> Any:
    """A dimension of a `BlockSpec` in blocks of `size`."""

def Buffered(count: Any) -> Any:
    """How many buffers a `BlockSpec` has, for its `pipeline_mode`; a pipeline's `max_concurrent_steps` says it for all of its specs instead."""

def ClusterBarrier(collective_axes: Any, num_arrivals: Any = ..., num_barriers: Any = ..., orders_tensor_core: Any = ..., leader_tracked: Any = ...) -> Any:
    """A barrier, or a group of them, at which warpgroups of several blocks of the cluster arrive."""
CopyPartition: Any

def Element(size: Any) -> Any:
    """A dimension of a `BlockSpec` whose index counts elements, not blocks."""

def GMEM(shape: Any, dtype: Any, sharding: Any = ...) -> Any:
    """Annotates a kernel's input: an array in global memory. Sizes may be names, which the call binds."""

def HBM(shape: Any, dtype: Any, tiling: Any = ...) -> Any:
    """A TPU's large memory: what a kernel's arrays lie in. Copies read and write it."""

def HOST(shape: Any, dtype: Any, tiling: Any = ...) -> Any:
    """The memory of the host, for `memory_space=`; copies of a scalar subcore read and write it."""

def InOut(shape: Any, dtype: Any, sharding: Any = ...) -> Any:
    """Annotates an array that the kernel reads and writes: passed to the call, and returned."""

def Indices(values: Any, ignored_value: Any = ...) -> Any:
    """Rows for a copy, `table.at[Indices(rows, ignored_value=-1)]`: those of the number `ignored_value` are passed over."""
LayoutLeft: Any
LayoutRight: Any

def Layout_K_INTER_Atom(dtype: Any) -> Any:
    """Shared memory as wgmma and tcgen05.mma read it: K runs along rows of 16 bytes, without a swizzle; tile_to_shape repeats it."""

def Layout_K_SW128_Atom(dtype: Any) -> Any:
    """Shared memory as wgmma and tcgen05.mma read it: K runs along rows of 128 bytes, swizzled over as much; tile_to_shape repeats it."""

def Layout_K_SW32_Atom(dtype: Any) -> Any:
    """Shared memory as wgmma and tcgen05.mma read it: K runs along rows of 32 bytes, swizzled over as much; tile_to_shape repeats it."""

def Layout_K_SW64_Atom(dtype: Any) -> Any:
    """Shared memory as wgmma and tcgen05.mma read it: K runs along rows of 64 bytes, swizzled over as much; tile_to_shape repeats it."""

def Layout_MN_INTER_Atom(dtype: Any) -> Any:
    """Shared memory as wgmma and tcgen05.mma read it: M or N runs along rows of 16 bytes, without a swizzle; tile_to_shape repeats it."""

def Layout_MN_SW128_Atom(dtype: Any) -> Any:
    """Shared memory as wgmma and tcgen05.mma read it: M or N runs along rows of 128 bytes, swizzled over as much; tile_to_shape repeats it."""

def Layout_MN_SW32_Atom(dtype: Any) -> Any:
    """Shared memory as wgmma and tcgen05.mma read it: M or N runs along rows of 32 bytes, swizzled over as much; tile_to_shape repeats it."""

def Layout_MN_SW64_Atom(dtype: Any) -> Any:
    """Shared memory as wgmma and tcgen05.mma read it: M or N runs along rows of 64 bytes, swizzled over as much; tile_to_shape repeats it."""

def M64_COLLECTIVE_LAYOUT(columns: Any, packing: Any = ...) -> Any:
    """tensor memory of M=128 on two CTAs: lanes 64 to 127 hold the right half of the columns"""

def MMA_ACC(dtype: Any = ..., m_warps: Any = ...) -> Any:
    """accumulator (M x N) of mma.sync"""

def MMA_LHS(dtype: Any = ..., m_warps: Any = ...) -> Any:
    """left operand (M x K) of mma.sync with m_warps warps along M"""

def MMA_LHS_SCALE(shape: Any, m_warps: Any = ...) -> Any:
    """block scales of the left operand of mma.sync: shape is (M, scales of a row along K)"""

def MMA_RHS(dtype: Any = ..., m_warps: Any = ...) -> Any:
    """right operand (K x N) of mma.sync"""

def MMA_RHS_SCALE(shape: Any, m_warps: Any = ...) -> Any:
    """block scales of the right operand of mma.sync: shape is (N, scales of a column along K)"""

def Out(shape: Any, dtype: Any, sharding: Any = ...) -> Any:
    """Annotates a kernel's output: an array in global memory that the call makes and returns."""
PackFormat: Any
PipelinePipeline: Any

def Replicated(times: Any) -> Any:
    """In warp_dims or lane_dims: this part of the threads holds `times` copies."""

def SCALES_LAYOUT() -> Any:
    """block scales in tensor memory (.scale_vec::1X): four copies, one per quarter"""

def SCALES_M64_COLLECTIVE_LAYOUT() -> Any:
    """block scales of B for M=64 on two CTAs"""

def SMEM(shape: Any, dtype: Any, transforms: Any = ...) -> Any:
    """A buffer in shared memory, for `scratch`; `transforms=(TilingTransform(…), SwizzleTransform(…))`."""

def SMEM_GMEM_COPY(shape: Any, dtype: Any, swizzle: Any) -> Any:
    """tiled_copy_smem_gmem_layout for an array of this shape"""

def SPARSE_METADATA_LAYOUT() -> Any:
    """sparsity metadata in tensor memory: descriptive, it has no map"""

def ScalarSubcoreMesh(axis_name: Any = ..., num_cores: Any = ...) -> Any:
    """The scalar subcores of a chip's SparseCores, for `@sc_kernel(mesh=…)`; all of them without a number."""

def Semaphore(count: Any = ...) -> Any:
    """Counters in global memory for `scratch`, zero when the kernel starts, that all blocks see."""

def SemaphoreSignal(ref: Any, inc: Any = ..., *, device_id: Any = ..., device_id_type: Any = ...) -> Any:
    """A semaphore, what to add to it, and on which device, for `semaphore_signal_parallel`."""
SemaphoreType: Any

def Squeezed() -> Any:
    """A dimension of a `BlockSpec` with one index for each block; the block does not have it."""

def Swizzle(bits: Any, base: Any, shift: Any) -> Any:
    """CuTe's Swizzle<B,M,S>: bits M+S and up are xored onto bits M and up, B of them; composition puts it around a layout."""

def SwizzleTransform(swizzle: Any) -> Any:
    """Swizzles a shared-memory buffer, so that columns are read without bank conflicts. `swizzle` is 32, 64 or 128 bytes, the length of a row of a tile."""
TCGEN05: Any
TCGEN05_COL: Any
TCGEN05_COL_LAYOUT: Any
TCGEN05_LAYOUT: Any

def TCGEN05_M64_COLLECTIVE(columns: Any) -> Any:
    """registers of an array in tmem_m64_collective_layout(columns)"""
TCGEN05_ROW: Any
TCGEN05_ROW_LAYOUT: Any
TCGEN05_TMEM_NATIVE: Any
TCGEN05_TRANSPOSED: Any
TCGEN05_TRANSPOSED_LAYOUT: Any
TMA_GATHER_INDICES: Any
TMA_GATHER_INDICES_LAYOUT: Any
TMA_INDICES: Any
TMA_INDICES_4: Any
TMA_INDICES_4_LAYOUT: Any
TMA_INDICES_LAYOUT: Any

def TMEM(shape: Any, dtype: Any, packed: Any = ..., collective: Any = ..., layout: Any = ...) -> Any:
    """An array in tensor memory (sm_100a), for `scratch` and `run_scoped`: 128 or 64 rows, and as many columns as fit 512 of 32 bits in all."""

def TMEMLayout(tiling: Any, warp_dims: Any = ..., lane_dims: Any = ..., vector_dim: Any = ...) -> Any:
    """The place of an array in tensor memory: a TiledLayout whose warps are the 32-lane quarters, whose lanes are the lanes in them, and whose registers number the columns."""

def TMEM_DEFAULT(packing: Any = ...) -> Any:
    """tensor memory of M=128 (one CTA) or M=256 (two CTAs): row r in lane r"""
TMEM_NATIVE: Any
TMEM_NATIVE_LAYOUT: Any

def TiledLayout(tiling: Any, warp_dims: Any, lane_dims: Any, vector_dim: Any) -> Any:
    """A register layout: the tiled dimensions that are spread over the four warps and the 32 lanes, and the one that is a register's vector."""

def TiledMemoryLayout(tiles: Any, strides: Any = ..., shape: Any = ...) -> Any:
    """How a TPU's memory stores an array: tile by tile, tiles cut into smaller tiles, padded to whole ones."""

def Tiling(*tile: Any, tiles: Any = ...) -> Any:
    """A list of tiles, each applied to the result of the one before."""

def TilingTransform(tiling: Any) -> Any:
    """Stores a shared-memory buffer tile by tile. `tiling` is the shape of a tile, of the last dimensions, and divides their sizes."""

def TryClusterCancelResult(num_results: Any = ...) -> Any:
    """Shared memory for what `try_cluster_cancel` answers, for `scratch`: 16 bytes, or several times as much, which is indexed."""

def Union(*members: Any) -> Any:
    """Buffers for `scratch` that share memory: each member is an `SMEM(…)` or a tuple of them (or all are `TMEM(…)`), and all members begin at one place. The kernel unpacks it: `a, (b, c) = u`."""

def VMEM(shape: Any, dtype: Any, tiling: Any = ...) -> Any:
    """Memory of one vector subcore of a SparseCore, for `scratch`, `run_scoped` and `memory_space=`. `tiling` is a list of tiles that it is stored in: `[(8, 128), (2, 1)]`."""

def VMEM_SHARED(shape: Any, dtype: Any, tiling: Any = ...) -> Any:
    """Memory that all subcores of a SparseCore share; they copy from and to it."""

def VectorSubcoreMesh(core_axis_name: Any = ..., subcore_axis_name: Any = ..., num_cores: Any = ..., num_subcores: Any = ...) -> Any:
    """The vector subcores of a chip's SparseCores, for `@sc_kernel(mesh=…)`; all of them without numbers."""
WGMMA: Any
WGMMA_8BIT: Any
WGMMA_ACC_32BIT: Any
WGMMA_COL: Any
WGMMA_COL_LAYOUT: Any
WGMMA_LAYOUT: Any
WGMMA_LAYOUT_8BIT: Any
WGMMA_LAYOUT_ACC_32BIT: Any
WGMMA_LAYOUT_UPCAST_2X: Any
WGMMA_LAYOUT_UPCAST_4X: Any
WGMMA_ROW: Any
WGMMA_ROW_LAYOUT: Any
WGMMA_TRANSPOSED: Any
WGMMA_TRANSPOSED_LAYOUT: Any
WGMMA_UPCAST_2X: Any
WGMMA_UPCAST_4X: Any

def WGSplatFragLayout(shape: Any = ...) -> Any:
    """Every thread holds the one value of a constant array."""

def WGStridedFragLayout(shape: Any, vec_size: Any) -> Any:
    """Row-major chunks of vec_size elements dealt to the 128 threads in turn."""

def WG_SPLAT(shape: Any) -> Any:
    """a constant array: one value for all elements"""

def WG_STRIDED(shape: Any, vec_size: Any) -> Any:
    """row-major chunks of vec_size elements dealt to the 128 threads in turn"""

def WarpMesh(axis_name: Any) -> Any:
    """The four warps of a warpgroup along a named axis, for `core_map`."""
__name__: Any

def abs(x: Any) -> Any:
    """The magnitude of a number or of each element."""

def addupdate(ref: Any, x: Any) -> Any:
    """Adds the vector `x` to what `ref` holds, element by element. Both have one shape and dtype."""

def addupdate_compressed(ref: Any, x: Any, *, mask: Any) -> Any:
    """Adds the lanes of `x` that `mask` sets, one after the other, to the first elements of `ref`."""

def addupdate_scatter(ref: Any, indices: Any, x: Any, *, mask: Any = ...) -> Any:
    """Adds each lane of `x` to the element at its own index, lanes with one index one after the other."""

def all(x: Any, axis: Any = ..., keepdims: Any = ...) -> Any:
    """True if every element over `axis` (an int or a tuple; all without it), or every item of a collection, is true."""

def all_reduce_ffs(mask: Any, *, reduce: Any = ...) -> Any:
    """The first lane that a mask sets, in each lane of an i32 vector; the number of lanes where it sets none."""

def all_reduce_population_count(mask: Any, *, reduce: Any = ...) -> Any:
    """How many lanes of a mask are set, in each lane of an i32 vector."""

def allclose(a: Any, b: Any, rtol: Any = ..., atol: Any = ...) -> Any:
    """True if |a - b| <= atol + rtol * |b| everywhere."""

def any(x: Any, axis: Any = ..., keepdims: Any = ...) -> Any:
    """True if an element over `axis` (an int or a tuple; all without it), or an item of a collection, is true."""

def arange(start: Any, stop: Any = ..., step: Any = ..., dtype: Any = ...) -> Any:
    """The numbers from start up to stop, stop not included; with one bound, from 0."""

def array(values: Any, dtype: Any = ...) -> Any:
    """An array of nested lists of numbers; without a dtype, f32, i32 or i1 by the values."""

def astype(x: Any, dtype: Any) -> Any:
    """The elements converted; the same as `x.astype(dtype)`."""

def async_copy(src_ref: Any, dst_ref: Any, sem: Any, *, add: Any = ..., priority: Any = ..., ignored_value: Any = ...) -> Any:
    """Starts a copy, whose bytes `sem` counts when it is done; `.wait()` on the result waits for it."""

def async_copy_scales_to_tmem(smem_ref: Any, tmem_ref: Any, collective_axis: Any = ...) -> Any:
    """The tensor core copies block scales, in shared memory as `format_tcgen05_scales` brings them, to a `TMEM(…, layout=scales_layout())`. It is ordered as `async_copy_smem_to_tmem` is."""

def async_copy_smem_to_tmem(smem_ref: Any, tmem_ref: Any, collective_axis: Any = ...) -> Any:
    """The tensor core copies a tiled, swizzled matrix of 128 rows from shared memory to tensor memory, fully packed."""

def async_copy_sparse_metadata_to_tmem(smem_ref: Any, tmem_ref: Any, collective_axis: Any = ...) -> Any:
    """The tensor core copies the metadata of a sparse operand, in shared memory as `format_tcgen05_sparse_metadata` brings them, to a `TMEM((128, n), u2, layout=sparse_meta_layout())`. It is ordered as `async_copy_smem_to_tmem` is."""

def async_load_tmem(src: Any, layout: Any = ..., reduce: Any = ...) -> Any:
    """Starts to read a matrix of tensor memory into registers: each warp its quarter of the lanes."""

def async_prefetch(ref: Any, collective_axes: Any = ..., partitioned_axis: Any = ..., predicate: Any = ...) -> Any:
    """Brings a slice of global memory into the L2 cache, for a later copy."""

def async_remote_copy(src_ref: Any, dst_ref: Any, send_sem: Any, recv_sem: Any, device_id: Any) -> Any:
    """Starts a copy to the memory of another device, whose `recv_sem` counts it there; `send_sem` counts it here."""

def async_store_smem(src: Any, ref: Any, barrier: Any, atomic: Any = ..., **axes: Any) -> Any:
    """Sends an array to `ref` in the shared memory of another block of the cluster: `async_store_smem(v, tile, sent, x=1)`."""

def async_store_tmem(ref: Any, value: Any) -> Any:
    """Starts to write an array to tensor memory, which has its shape and dtype. Call `commit_tmem()` before it is read."""

def atan2(y: Any, x: Any) -> Any:
    """The angle of the point (x, y), in radians from -pi to pi."""

def atomic_add(ref: Any, value: Any) -> Any:
    """Adds to what is in memory, element by element, atomically: `atomic_add(x.at[i], v)`."""

def atomic_and(ref: Any, value: Any) -> Any:
    """Combines by `&` with what is in memory, element by element, atomically: `atomic_and(x.at[i], v)`."""

def atomic_max(ref: Any, value: Any) -> Any:
    """Takes the larger of the value and what is in memory, element by element, atomically: `atomic_max(x.at[i], v)`."""

def atomic_min(ref: Any, value: Any) -> Any:
    """Takes the smaller of the value and what is in memory, element by element, atomically: `atomic_min(x.at[i], v)`."""

def atomic_or(ref: Any, value: Any) -> Any:
    """Combines by `|` with what is in memory, element by element, atomically: `atomic_or(x.at[i], v)`."""

def atomic_xor(ref: Any, value: Any) -> Any:
    """Combines by `^` with what is in memory, element by element, atomically: `atomic_xor(x.at[i], v)`."""

def atoms(match: Any = ...) -> Any:
    """The instructions with fragments and their sections in the PTX ISA ('Matrix Fragments for …'), as a table; `match` is a part of the names."""

def axis_index(name: Any) -> Any:
    """The block's index along a named dimension of grid or cluster, the warpgroup's along `thread_name`, the warp's along the axis of a `WarpMesh`, or the device's along an axis of the kernel's `mesh`; along a tuple of names, in row-major order."""

def axis_size(name: Any) -> Any:
    """The size of a named dimension of grid, cluster, block or mesh; of a tuple of names, the product."""
b128: Any
b256: Any

def b_scales_m64_collective_layout() -> Any:
    """block scales of B for M=64 on two CTAs"""

def barrier_arrive(barrier: Any) -> Any:
    """The warpgroup (or warp) arrives at a barrier; at a `ClusterBarrier`, in each block of the cluster that it connects."""

def barrier_arrive_expect_tx(barrier: Any, bytes: Any) -> Any:
    """The warpgroup arrives at a barrier and adds `bytes` to what its phase waits for, without starting a copy."""

def barrier_test(barrier: Any) -> Any:
    """True if the barrier's next phase is complete, without waiting; the phase then counts as waited for."""

def barrier_wait(barrier: Any) -> Any:
    """Waits for the barrier's next phase: its arrivals, and the bytes of the copies that it counts."""
bf16: Any

def bin(n: Any) -> Any:
    """An int in base 2: `0b101`."""

def bitcast(x: Any, dtype: Any) -> Any:
    """The same bits read as another dtype of the same width."""

def bitcast_convert_type(x: Any, dtype: Any) -> Any:
    """The same bits as another dtype of the same width."""

def blocked_product(block: Any, tiler: Any) -> Any:
    """Repeats a block over a layout, mode beside mode, in blocks."""

def bool(x: Any = ...) -> Any:
    """True if the value counts as true in a condition."""

def broadcast_in_dim(x: Any, shape: Any, broadcast_dimensions: Any, layout: Any = ...) -> Any:
    """Repeats an array: its dimension i becomes dimension `broadcast_dimensions[i]` of the result."""

def broadcast_to(x: Any, shape: Any) -> Any:
    """The array repeated along dimensions of size 1 and new leading ones, as `+` would have it."""

def broadcasted_iota(dtype: Any, shape: Any, dimension: Any, layout: Any = ...) -> Any:
    """0, 1, 2, … along a dimension, constant along the others."""

def callable(x: Any) -> Any:
    """True if x can be called."""

def catalogue() -> Any:
    """The named layouts, as a table: name, kind, what for."""

def ceil(x: Any) -> Any:
    """The smallest whole number that is not below each element, as a float."""

def chr(n: Any) -> Any:
    """The character of a code point."""

def clamp(low: Any, x: Any, high: Any) -> Any:
    """`x`, but at least `low` and at most `high`, element by element. Shapes broadcast."""

def cluster_ref(ref: Any, **axes: Any) -> Any:
    """The same place in the shared memory of another block of the cluster: `cluster_ref(tile, x=1)`. An axis that is left out keeps this block's index."""

def clz(x: Any) -> Any:
    """How many of each integer's highest bits are zero; all of them for 0."""

def coalesce(layout: Any, profile: Any = ...) -> Any:
    """The same function of an index, with the fewest modes; mode by mode where `profile` is a tuple."""

def coalescing(layout: Any, strides: Any = ..., dtype: Any = ..., shape: Any = ...) -> Any:
    """Sectors (32 bytes) and lines (128 bytes) of global memory that each warp's instruction touches, with the widest accesses that the layout and the strides allow."""

def commit_smem() -> Any:
    """Makes the warpgroup's writes to shared memory visible to copies."""

def commit_smem_to_gmem_group() -> Any:
    """Closes the group of copies to global memory started with `commit_group=False`."""

def commit_tmem() -> Any:
    """Waits until the warpgroup's stores to tensor memory are there, for its loads and for products that it starts; its threads meet."""

def compare_traces(before: Any, after: Any) -> Any:
    """Which regions of a kernel take more or less time than before, most changed first. Both arguments are as for `explain_trace`."""

def complement(layout: Any, target: Any = ...) -> Any:
    """The layout that repeats `layout` so that together they fill up to `target`, by default its cosize."""

def compose(outer: Any, inner: Any) -> Any:
    """As `composition`."""

def composition(outer: Any, inner: Any) -> Any:
    """R(c) = outer(inner(c)); by mode where `inner` is a tile; of a swizzle and a layout, the swizzled layout."""

def concatenate(arrays: Any, axis: Any = ..., dtype: Any = ...) -> Any:
    """Arrays one after the other along `axis`; in a kernel those of one layout."""

def conflicts(access: Any, register_layout: Any, smem_layout: Any, dtype: Any = ..., shape: Any = ..., transposed: Any = ..., instruction: Any = ..., warp: Any = ...) -> Any:
    """Bank conflicts of moving an array between registers and shared memory."""

def copy_atom(name: Any, dtype: Any = ...) -> Any:
    """A copy instruction by CuTe's name: the (thread, value) layouts of what it reads and writes, in bits or in values of `dtype`."""

def copy_gmem_to_smem(src: Any, dst: Any, barrier: Any = ..., collective_axes: Any = ..., partitioned_axis: Any = ..., predicate: Any = ..., implementation: Any = ..., oob_mode: Any = ..., leader_tracked: Any = ...) -> Any:
    """Starts a copy from global to shared memory. The barrier counts its bytes and one arrival: wait on it before reading `dst`."""

def copy_smem_to_gmem(src: Any, dst: Any, predicate: Any = ..., commit_group: Any = ..., reduction_op: Any = ...) -> Any:
    """Starts a copy from shared to global memory. Call `commit_smem()` after writing `src`, and `wait_smem_to_gmem` before writing it again or ending the kernel."""

def copysign(x: Any, sign: Any) -> Any:
    """The magnitude of `x` with the sign of `sign`."""

def core_map(mesh: Any) -> Any:
    """`core_map(WarpMesh(axis_name='warp'))(body)`: each of the warpgroup's four warps runs `body()` by itself."""

def cos(x: Any, approx: Any = ...) -> Any:
    """The cosine, of radians."""

def cosize(layout: Any) -> Any:
    """One more than a CuTe layout's largest offset."""

def costs(kernel: Any, *arguments: Any, stage: Any = ..., run: Any = ..., **named: Any) -> Any:
    """The cost of each line of a kernel, in front of the line: PTX instructions, live registers, shuffles, accesses of shared and global memory, matrix products, copies, waits."""

def crd2idx(coord: Any, layout: Any, stride: Any = ...) -> Any:
    """The offset of a coordinate in a CuTe layout, or in a shape with its strides; swizzle included."""

def cummax(x: Any, axis: Any = ..., reverse: Any = ..., *, mask: Any = ...) -> Any:
    """The running maximum of a vector's lanes; those that `mask` leaves out do not take part, and lanes before the first that does keep their own values."""

def cummin(x: Any, axis: Any = ..., reverse: Any = ..., *, mask: Any = ...) -> Any:
    """The running minimum of a vector's lanes; see `cummax`."""

def cumsum(x: Any, axis: Any = ..., reverse: Any = ..., *, mask: Any = ...) -> Any:
    """The running sum of a vector's lanes; those that `mask` leaves out add nothing."""

def cute(shape: Any, stride: Any = ...) -> Any:
    """A CuTe layout of a shape and strides, ints or nested tuples; column-major without strides."""

def cute_operands(text: Any) -> Any:
    """The (thread, value) layouts in a printout of MMA_Atom, TiledMMA, TiledCopy or Copy_Atom, or of an atom's name, by their labels."""

def dataclass(type: Any = ..., *, frozen: Any = ..., order: Any = ..., eq: Any = ...) -> Any:
    """Above a class: its annotated names are fields, which its constructor takes and `==` compares."""

def debug(kernel: Any, *arguments: Any, commands: Any = ..., **named: Any) -> Any:
    """Runs a kernel under the debugger, on the emulator: the run stops at breakpoints, and also goes back."""

def debug_print(format: Any, *values: Any) -> Any:
    """Prints from inside the kernel; each `{}` of the format stands for one value."""

def depth(layout: Any) -> Any:
    """How deep a CuTe layout's shape nests."""

def device_id() -> Any:
    """The number of this device among those of the kernel's `mesh`."""

def dict(pairs: Any = ..., **items: Any) -> Any:
    """A dict of pairs, of another dict, and of keyword arguments."""

def diff(a: Any, b: Any, shape: Any = ..., dtype: Any = ..., memory: Any = ...) -> Any:
    """The elements whose place differs between two layouts, and by how far."""

def div(x: Any, y: Any) -> Any:
    """The quotient; of integers rounded towards zero, where `x // y` rounds down."""

def divmod(a: Any, b: Any) -> Any:
    """(a // b, a % b)"""

def ds(start: Any, size: Any) -> Any:
    """A slice of `size` elements from `start`, for references: `ref[ds(64 * i, 64)]`. `start` may be known on the device only; for copies of a SparseCore `size` may, too."""

def dynamic_scheduling_loop(grid_names: Any, thread_axis: Any = ..., init_carry: Any = ...) -> Any:
    """`dynamic_scheduling_loop(…)(body)` calls `body(info)` for the block's own place in the grid, and then for places whose blocks have not begun, which it takes over one by one (sm_100a)."""

def element_map(layout: Any, shape: Any = ..., dtype: Any = ..., memory: Any = ...) -> Any:
    """The element that each thread's register position holds, each lane's column of tensor memory, or each offset of shared memory."""

def elements(layout: Any, shape: Any, warp: Any = ..., lane: Any = ..., register: Any = ..., column: Any = ..., dtype: Any = ..., memory: Any = ...) -> Any:
    """The elements that a warp, lane or register (or a lane and column of tensor memory) holds, as a table."""

def emit_pipeline(body: Any, grid: Any, in_specs: Any = ..., out_specs: Any = ..., max_concurrent_steps: Any = ..., init_carry: Any = ..., core_axis_name: Any = ...) -> Any:
    """A function of references that runs `body(indices, *blocks)` over a grid, the last dimension fastest, while the next blocks are being copied."""

def emit_pipeline_warp_specialized(body: Any, grid: Any, memory_registers: Any, wg_axis: Any, num_compute_wgs: Any, in_specs: Any = ..., out_specs: Any = ..., max_concurrent_steps: Any = ..., pipeline_state: Any = ..., manual_ready_barriers: Any = ..., manual_consumed_barriers: Any = ..., compute_context: Any = ..., memory_thread_idx: Any = ...) -> Any:
    """A pipeline in which the last warpgroup of `wg_axis` copies and the others compute."""

def enumerate(items: Any, start: Any = ...) -> Any:
    """Pairs (number, item), one at a time."""

def equal(a: Any, b: Any, shape: Any = ..., dtype: Any = ..., memory: Any = ...) -> Any:
    """True if two layouts of any languages put every element in the same place, else a counterexample."""

def erf(x: Any, approx: Any = ...) -> Any:
    """The error function."""

def exp(x: Any, approx: Any = ...) -> Any:
    """e to the power of x."""

def exp2(x: Any, approx: Any = ...) -> Any:
    """2 to the power of x."""

def explain(layout: Any, shape: Any = ..., index: Any = ..., dtype: Any = ..., memory: Any = ...) -> Any:
    """The arithmetic from an element's index to its owner, step by step."""

def explain_trace(result: Any) -> Any:
    """Why a trace took as long as it did: the waits that cost most with the chain of causes of each one's longest, the critical path, what overlapped, how full the processors were. `result` is what `run(…, profile=True)` gives, a trace or a trace's file."""
f16: Any
f32: Any
f4e2m1fn: Any
f64: Any
f6e2m3fn: Any
f6e3m2fn: Any
f8e4m3fn: Any
f8e5m2: Any
f8e8m0fnu: Any

def fa_m64_collective_layout(columns: Any) -> Any:
    """registers of an array in tmem_m64_collective_layout(columns)"""

def fetch_and_add(ref: Any, value: Any, subcore_id: Any) -> Any:
    """Adds to an i32 in the SMEM of a vector subcore of this core, and gives what was there."""

def field(*, default: Any = ..., default_factory: Any = ..., init: Any = ..., repr: Any = ..., compare: Any = ...) -> Any:
    """A field of a dataclass: its default, or what makes one for each instance."""

def filter(function: Any, items: Any) -> Any:
    """The items for which the function is true, one at a time."""

def find_layouts(text: Any) -> Any:
    """The layouts in a pasted text, as a table: TTGIR with its aliases, types, JAX dumps, CuTe prints."""

def find_swizzle(minor_dim_bits: Any, what: Any = ...) -> Any:
    """The largest swizzle, 128, 64, 32 or 16 bytes, that divides rows of so many bits."""

def flat_divide(layout: Any, tiler: Any) -> Any:
    """Cuts a layout into tiles: (TileM,TileN,RestM,RestN)."""

def flat_product(block: Any, tiler: Any) -> Any:
    """Repeats a block over a tiler: (M,N,TileM,TileN)."""

def float(x: Any = ...) -> Any:
    """The number as a float, or the float that a str spells."""

def floor(x: Any) -> Any:
    """The largest whole number that is not above each element, as a float."""

def fmod(x: Any, y: Any) -> Any:
    """The remainder with the sign of `x`, as C's fmod."""

def fori_loop(lower: Any, upper: Any, body: Any, init: Any, unroll: Any = ...) -> Any:
    """`body(i, value)` for each i, from `init` on, each round's result the next one's value; gives the last."""

def format_tcgen05_scales(scales: Any, halves: Any = ...) -> Any:
    """Block scales, a row for each of M or N and a column for each block of K, as `async_copy_scales_to_tmem` takes them: (tiles of 128 rows, columns / 4, 32, 16)."""

def format_tcgen05_sparse_metadata(metadata: Any, dtype: Any) -> Any:
    """The metadata of a sparse operand of this dtype, (M, K // 4, 2): which two of each four elements are kept (of f4e2m1fn, (M, K // 8, 2): which two of each four pairs), as `async_copy_sparse_metadata_to_tmem` takes them: (M // 128, K // 128, 128, 64)."""

def fragment(atom: Any, operand: Any) -> Any:
    """The layout of an instruction's operand: which thread's register holds which element."""

def full(shape: Any, value: Any, dtype: Any = ...) -> Any:
    """An array with `value` everywhere; without a dtype, f32, i32 or i1 by the value."""

def gelu(x: Any, approx: Any = ...) -> Any:
    """x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))), the usual approximation of the Gaussian error linear unit."""

def get_global(what: Any) -> Any:
    """Semaphores of the whole kernel, `get_global(Semaphore(count=2))`: of their own for each call in the kernel's text, the same for all of its blocks and warpgroups."""

def getattr(x: Any, name: Any, default: Any = ...) -> Any:
    """`x.name` by a text; `default` where there is none."""

def griddepcontrol_launch_dependents() -> Any:
    """Lets the next kernel in the stream start, as far as this one is concerned (programmatic dependent launch)."""

def griddepcontrol_wait() -> Any:
    """Waits until the kernel before this one in the stream has ended (programmatic dependent launch). lanescope itself launches one kernel after the other, so there it never waits."""

def hasattr(x: Any, name: Any) -> Any:
    """True if x has an attribute of that name."""

def help(x: Any = ..., *, picture: Any = ...) -> Any:
    """Describes a name and its use, and draws a layout; without a name, lists all names."""

def hex(n: Any) -> Any:
    """An int in base 16: `0xff`."""
i1: Any
i128: Any
i16: Any
i32: Any
i4: Any
i64: Any
i8: Any

def idx2crd(index: Any, shape: Any) -> Any:
    """The coordinate of an index in a shape (or a layout's), nested as it is."""

def infer_tmem_layout(shape: Any, collective: Any, packing: Any = ...) -> Any:
    """the tensor-memory layout of an MMA operand or accumulator by its shape"""

def inline_ptx(ptx: Any, *values: Any, dtype: Any = ...) -> Any:
    """PTX as it stands, for each element of the values: `inline_ptx('lg2.approx.ftz.f32 $0, $1;', x, dtype=f32)`."""

def inputs_of(atom: Any, operand: Any, index: Any) -> Any:
    """The elements, and the registers that hold them, which an element of an instruction's output comes from, as a table."""

def int(x: Any = ..., base: Any = ...) -> Any:
    """A number without its fraction, or the integer that a str spells."""

def iota(shape: Any, dtype: Any = ..., axis: Any = ...) -> Any:
    """The array of row-major indices 0, 1, 2, …; with `axis`, of the index along that dimension."""

def ir(kernel: Any, *arguments: Any, stage: Any = ..., **named: Any) -> Any:
    """A kernel's text at a stage of its compilation: 'ir', 'laid-out', 'nvvm', 'llvm', 'ptx' or 'sass'."""

def isinstance(x: Any, type: Any) -> Any:
    """True if x is of a dataclass, of a type such as `int`, or of one of a tuple of them."""

def iter(x: Any, sentinel: Any = ...) -> Any:
    """An iterator over the items; with `sentinel`, over what calls of x give until it comes."""

def kernel(function: Any = ..., *, grid: Any = ..., grid_names: Any = ..., num_threads: Any = ..., thread_name: Any = ..., scratch: Any = ..., cluster: Any = ..., cluster_names: Any = ..., name: Any = ..., mesh: Any = ...) -> Any:
    """`@kernel(...)` above a `def` makes it a GPU kernel: `num_threads` warpgroups in each block of `grid`."""

def layout_at(layout: Any, *coordinate: Any) -> Any:
    """The offset of a coordinate, nested or not; with None or '_' in it the part of the layout that is left."""

def layout_cast(x: Any, layout: Any) -> Any:
    """The same array in another register layout. Threads exchange elements as `relayout` says. An error if there is no way between the layouts but through shared memory."""

def left_inverse(layout: Any) -> Any:
    """L with layout(L(layout(i))) = layout(i)."""

def len(x: Any) -> Any:
    """Number of items, of characters, or of rows of an array."""

def linear(layout: Any, shape: Any = ..., dtype: Any = ..., memory: Any = ...) -> Any:
    """The layout's linear form over F2: which coordinates each bit of a place adds, by exclusive or."""

def links(kernel: Any, *arguments: Any, stage: Any = ..., **named: Any) -> Any:
    """A kernel's text at a stage of its compilation, as `ir` gives it, with the lines of the snippet that each line comes from in front of it."""

def list(items: Any = ...) -> Any:
    """The items as a new list."""

def load(path: Any, dtype: Any = ...) -> Any:
    """The array of a `.npy` file, or a dict of the arrays of a `.npz` file."""

def load_expanded(ref: Any, *, mask: Any) -> Any:
    """The first elements of `ref`, in order, in the lanes that `mask` sets; the other lanes are undefined."""

def load_gather(ref: Any, indices: Any, *, mask: Any = ...) -> Any:
    """Each lane's element of `ref` in VMEM: `indices` holds one i32 vector for each dimension."""

def log(x: Any, approx: Any = ...) -> Any:
    """The natural logarithm."""

def log2(x: Any, approx: Any = ...) -> Any:
    """The logarithm to base 2."""

def logical_divide(layout: Any, tiler: Any) -> Any:
    """Cuts a layout into tiles: (tile, rest), mode by mode."""

def logical_product(block: Any, tiler: Any) -> Any:
    """Repeats a block over a tiler: (block, repetition)."""

def logistic(x: Any, approx: Any = ...) -> Any:
    """1 / (1 + exp(-x)), the sigmoid."""

def loop(lower: Any, upper: Any, step: Any = ..., *, unroll: Any = ..., carry: Any = ...) -> Any:
    """`for i in loop(0, n):` a loop on the device as Pallas' `pl.loop` makes it: over the number of the round. `carry=` as for `parallel_loop`."""

def make_async_copy(src_ref: Any, dst_ref: Any, sem: Any, *, add: Any = ..., priority: Any = ..., ignored_value: Any = ...) -> Any:
    """A copy to `.start()`, and to `.wait()` for, maybe one that another part of the kernel starts."""

def make_async_remote_copy(src_ref: Any, dst_ref: Any, send_sem: Any, recv_sem: Any, device_id: Any) -> Any:
    """A copy to the memory of another device, to `.start()`; `.wait_send()` and `.wait_recv()` wait for one of its semaphores, `.wait()` for both."""

def make_coord(*parts: Any) -> Any:
    """A coordinate: the tuple; None stands for `_`."""

def make_identity_layout(shape: Any) -> Any:
    """The layout of coordinates: (i, j) at (i, j)."""

def make_layout(shape: Any, stride: Any = ...) -> Any:
    """As `cute`: a layout of a shape and strides, column-major without; stride=LayoutRight is row-major."""

def make_layout_tv(thr_layout: Any, val_layout: Any) -> Any:
    """(tiler, layout): the (thread, value) layout that repeats the values over the threads."""

def make_ordered_layout(shape: Any, order: Any) -> Any:
    """The compact layout whose strides grow in that order of the modes."""

def make_shape(*sizes: Any) -> Any:
    """A shape: the tuple."""

def make_stride(*strides: Any) -> Any:
    """Strides: the tuple."""

def make_tile(*tilers: Any) -> Any:
    """A tile: the tuple of its modes' tilers."""

def make_tiled_copy(atom: Any, thr_layout: Any, val_layout: Any = ...) -> Any:
    """A copy repeated over threads and values: TiledLayout_TV, and what is read and written."""

def make_tiled_copy_A(atom: Any, tiled_mma: Any) -> Any:
    """The copy of what a tiled MMA's A needs."""

def make_tiled_copy_B(atom: Any, tiled_mma: Any) -> Any:
    """The copy of what a tiled MMA's B needs."""

def make_tiled_copy_C(atom: Any, tiled_mma: Any) -> Any:
    """The copy of what a tiled MMA's C holds."""

def make_tiled_mma(atom: Any, thr_layout: Any = ..., permutation: Any = ...) -> Any:
    """An instruction repeated over warps: the (thread, value) layouts of the whole tile."""

def map(*function_and_collections: Any) -> Any:
    """The function's values, of the items of the collections, one at a time."""

def max(*values: Any, axis: Any = ..., keepdims: Any = ..., key: Any = ..., default: Any = ...) -> Any:
    """The largest element of an array over `axis` (an int or a tuple, negative ones from the end; all without it), NaN if one of them is NaN; or the largest of several values, or of a collection."""

def max_common_vector(a: Any, b: Any) -> Any:
    """How many elements both layouts store one after the other: what a copy between them can move at once."""

def max_error(a: Any, b: Any) -> Any:
    """The largest |a - b| of two arrays whose shapes broadcast, as a float. Two NaNs are equal; a NaN and a number differ by inf."""

def maximum(x: Any, y: Any) -> Any:
    """The larger of the two, element by element; NaN if one of them is NaN."""

def mean(x: Any, axis: Any = ..., dtype: Any = ..., keepdims: Any = ...) -> Any:
    """The mean of an array over `axis` (an int or a tuple, negative ones from the end; all without it); of integers f32."""

def min(*values: Any, axis: Any = ..., keepdims: Any = ..., key: Any = ..., default: Any = ...) -> Any:
    """The smallest element of an array over `axis` (an int or a tuple, negative ones from the end; all without it), NaN if one of them is NaN; or the smallest of several values, or of a collection."""

def minimum(x: Any, y: Any) -> Any:
    """The smaller of the two, element by element; NaN if one of them is NaN."""

def mma(acc: Any, a: Any, b: Any, m_warps: Any = ..., *, a_scale: Any = ..., b_scale: Any = ...) -> Any:
    """acc + a @ b by the warps (`mma.sync`), everything in registers: a of (M, K), b of (K, N). `m_warps` of the four warps share the rows, the others the columns."""

def mma_atom(name: Any) -> Any:
    """A tensor-core instruction by CuTe's name: its shape, ThrID and (thread, value) layouts of A, B and C."""

def mpmd_map(pairs: Any, *, scratch: Any = ..., chip: Any = ..., use_tc_tiling_on_sc: Any = ..., needs_layout_passes: Any = ..., debug: Any = ..., name: Any = ...) -> Any:
    """A kernel of several functions that run side by side: `mpmd_map([(VectorSubcoreMesh(…), f), (ScalarSubcoreMesh(…), g)])`."""

def multicast_ref(ref: Any, collective_axes: Any) -> Any:
    """The same place in the global memory of all devices at once, for copies from shared memory and for `atomic_add` and its like. `collective_axes` names all axes of the mesh."""

def multimem_load_reduce(ref: Any, collective_axes: Any, reduction_op: Any) -> Any:
    """The values of `ref` on all devices, combined on the way by 'add', 'min', 'max', 'and', 'or' or 'xor'. Sums of f16 and bf16 are made in f32, and rounded once."""

def multimem_store(source: Any, ref: Any, collective_axes: Any) -> Any:
    """Writes an array to `ref` on all devices at once. Each thread moves 4, 8 or 16 bytes with an instruction."""

def multiple_of(x: Any, values: Any) -> Any:
    """`x`, which is known to be a multiple of each of `values`: copies of whole tiles ask for that."""

def named_barrier_arrive(id: Any, num_warpgroups: Any = ..., num_warps: Any = ...) -> Any:
    """Counts this warpgroup (or warp) at a named barrier, as `named_barrier_sync` does, and does not wait."""

def named_barrier_sync(id: Any, num_warpgroups: Any = ..., num_warps: Any = ...) -> Any:
    """Waits at one of the block's named barriers until as many warpgroups (or warps) have come, this one among them."""

def named_view(ref: Any, name: Any) -> Any:
    """A part of memory as a reference of its own, under a name: for pipelines, which give a body the block of a step."""

def nd_loop(grid: Any, collective_axes: Any = ..., tiling: Any = ..., init_carry: Any = ...) -> Any:
    """`nd_loop(grid, …)(body)` calls `body(index)` for the places of a grid, shared among the blocks (or warpgroups) along `collective_axes`: each takes every n-th."""

def next(iterator: Any, default: Any = ...) -> Any:
    """Its next item; at the end `default`, or an error."""

def notation(layout: Any, language: Any, shape: Any = ..., dtype: Any = ..., memory: Any = ...) -> Any:
    """A layout in another language, for an array of that shape, where the language can say exactly that."""

def num_lanes() -> Any:
    """How many 32-bit elements a vector register of the kernel's chip has."""

def num_programs(axis: Any) -> Any:
    """The size of grid dimension `axis`."""

def oct(n: Any) -> Any:
    """An int in base 8: `0o17`."""

def ones(shape: Any, dtype: Any = ...) -> Any:
    """An array of ones. `shape` is a tuple of sizes, or one size."""

def open_dump(path: Any) -> Any:
    """A kernel that JAX dumped (`MOSAIC_GPU_DUMP_TO=…`), to look at, to change a layout in, and to run."""

def optimization_barrier(*values: Any) -> Any:
    """The same values; a kernel's compiler neither moves nor merges anything across."""

def ord(c: Any) -> Any:
    """The code point of a character."""

def outputs_of(atom: Any, operand: Any, index: Any) -> Any:
    """The elements of an instruction's output, and the registers that hold them, which an element of an input goes into, as a table."""

def owners(layout: Any, shape: Any, index: Any, dtype: Any = ..., memory: Any = ...) -> Any:
    """The owners of an element, as a table: threads and registers, lanes and columns of tensor memory, or bytes of shared memory; for a TPU's tiled memory with words and tiles."""

def pack(a: Any, b: Any, *, format: Any, preferred_element_type: Any = ...) -> Any:
    """Narrows two vectors into one of half the width: `PackFormat.INTERLEAVED` alternates them, `COMPRESSED` puts them side by side in a second dimension. f32 becomes bf16 and i32 becomes i16, unless `preferred_element_type` says otherwise."""

def page_link(x: Any, shape: Any = ..., dtype: Any = ..., *, view: Any = ..., color: Any = ..., tiling: Any = ..., swizzle: Any = ..., transpose: Any = ..., against: Any = ..., slice: Any = ..., memory: Any = ...) -> Any:
    """The address of a web page that shows what `show` shows, to send to others (docs/browser.md)."""

def parallel_loop(lower: Any, upper: Any, step: Any = ..., *, unroll: Any = ..., carry: Any = ...) -> Any:
    """`for i in parallel_loop(0, 64, 16):` a loop whose rounds do not depend on what others store, so that they may be run at once."""

def param(name: Any, default: Any, choices: Any = ..., about: Any = ...) -> Any:
    """The value of a parameter: its default, unless it is set from outside."""

def planar_snake(index: Any, shape: Any, minor_dim: Any, tile_width: Any) -> Any:
    """Place number `index` of a plane that is walked in stripes of `tile_width` along `minor_dim`, every other one backwards: neighbours in time share data."""

def pow(a: Any, b: Any, mod: Any = ...) -> Any:
    """a ** b, or its remainder by `mod`."""

def print(*values: Any, sep: Any = ..., end: Any = ..., flush: Any = ..., file: Any = ...) -> Any:
    """Prints the values, with `sep` between them and `end` after them."""

def print_layout(format: Any, x: Any) -> Any:
    """Prints, while the kernel compiles, the layout of an array or of tensor memory, or the transforms of a shared-memory reference."""

def prod(x: Any, axis: Any = ..., dtype: Any = ..., keepdims: Any = ...) -> Any:
    """The product of an array over `axis` (an int or a tuple, negative ones from the end; all without it)."""

def program_id(axis: Any) -> Any:
    """The block's index along grid dimension `axis`."""

def property(function: Any) -> Any:
    """`@property` above a method: read as a field, without brackets."""

def query_cluster_cancel(result: Any, grid_names: Any) -> Any:
    """The answer of `try_cluster_cancel`: the indices along these axes of the grid, and whether there was such a cluster; without one the indices are undefined."""

def raked_product(block: Any, tiler: Any) -> Any:
    """Repeats a block over a layout, interleaved."""

def random(shape: Any, dtype: Any = ..., *, seed: Any = ..., low: Any = ..., high: Any = ...) -> Any:
    """Evenly spread random numbers, the same on every machine for the same seed."""

def range(*bounds: Any, unroll: Any = ...) -> Any:
    """range(stop), range(start, stop) or range(start, stop, step): the ints from start up to stop, stop not included."""

def rank(layout: Any) -> Any:
    """The number of a CuTe layout's modes."""

def recast(layout: Any, from_dtype: Any, to_dtype: Any) -> Any:
    """The layout of the same bytes as elements of another type."""

def region(name: Any) -> Any:
    """`with region('load'):` names a part of the kernel in its trace."""

def relayout(layout: Any, to: Any, shape: Any = ..., dtype: Any = ...) -> Any:
    """The cost of taking an array from one register layout to another: renaming registers, byte permutes, shuffles within warps, or a round trip through shared memory, with counts per thread and per warp."""

def rem(x: Any, y: Any) -> Any:
    """The remainder with the sign of `x`, where `x % y` has that of `y`."""

def remote_ref(ref: Any, device_id: Any, device_id_type: Any = ...) -> Any:
    """The same place in the global memory of another device of the kernel's `mesh`: an array that the kernel takes, or a part of one."""

def replace(x: Any, **changes: Any) -> Any:
    """An instance of a dataclass with some fields changed."""

def repr(x: Any) -> Any:
    """The value as text that reads back, where there is one."""

def reshape(x: Any, shape: Any) -> Any:
    """The elements in the same row-major order under another shape; one size may be -1."""

def rev(x: Any, dimensions: Any = ...) -> Any:
    """A vector's lanes in the opposite order. `dimensions` is 0, the only dimension of a vector."""

def reversed(items: Any) -> Any:
    """The items, last first, one at a time."""

def right_inverse(layout: Any) -> Any:
    """The largest R with layout(R(i)) = i."""

def round(x: Any, digits: Any = ..., halves: Any = ...) -> Any:
    """The nearest whole number of each element; halves go to the even one, or with `halves='away'` away from zero."""

def rsqrt(x: Any, approx: Any = ...) -> Any:
    """One over the square root."""

def run(kernel: Any, *arguments: Any, device: Any = ..., profile: Any = ..., timeout: Any = ..., repeat: Any = ..., coverage: Any = ..., **named: Any) -> Any:
    """Runs a kernel, or a file: `run('file.py')`. Of a kernel it gives a result with `.outputs`, `.trace`, `.time_us` and `.diagnostics`."""

def run_scoped(*arguments: Any, **named: Any) -> Any:
    """Shared and tensor memory, barriers and accumulators for a while: `with run_scoped(SMEM(…), Barrier()) as (tile, loaded):`, or `run_scoped(f, SMEM(…), Barrier())`, which calls `f(tile, loaded)`."""

def sass(kernel: Any, *arguments: Any, **named: Any) -> Any:
    """The machine code of a kernel, for these arguments or for the last call's; by NVIDIA's `ptxas` and `nvdisasm`, which must be installed."""

def save(path: Any, x: Any) -> Any:
    """Writes an array as a `.npy` file."""

def sc_kernel(function: Any = ..., *, mesh: Any = ..., grid: Any = ..., in_specs: Any = ..., out_specs: Any = ..., scratch: Any = ..., grid_names: Any = ..., dimension_semantics: Any = ..., core: Any = ..., chip: Any = ..., use_tc_tiling_on_sc: Any = ..., needs_layout_passes: Any = ..., debug: Any = ..., name: Any = ...) -> Any:
    """`@sc_kernel(...)` above a `def` makes it a kernel for the SparseCores of a TPU."""

def scales_layout() -> Any:
    """block scales in tensor memory (.scale_vec::1X): four copies, one per quarter"""

def scan_count(x: Any, mask: Any = ...) -> Any:
    """How often each lane's value occurred so far, from 1 on, and a mask of the last occurrences."""

def select(condition: Any, x: Any, y: Any) -> Any:
    """`x` where the condition holds, `y` elsewhere, element by element."""

def select_ref(number: Any, *refs: Any) -> Any:
    """The reference of that number, chosen on the device; the last one for a number that none has. All are of one type."""

def semaphore_read(semaphore: Any) -> Any:
    """A semaphore's count at some moment."""

def semaphore_signal(semaphore: Any, inc: Any = ..., *, device_id: Any = ..., device_id_type: Any = ..., memory_scope: Any = ...) -> Any:
    """Adds `inc` to a semaphore, this device's or that of device `device_id` (as for `remote_ref`). A warpgroup that waits for it sees this warpgroup's earlier writes: with `memory_scope='gpu'` on this device, with 'sys', the default in kernels for several devices, on others, too."""

def semaphore_signal_multicast(semaphore: Any, value: Any = ..., *, collective_axes: Any) -> Any:
    """Adds `value` to a semaphore on all devices, this one included. `collective_axes` names all axes of the mesh."""

def semaphore_signal_parallel(*signals: Any) -> Any:
    """Adds to several semaphores, `SemaphoreSignal(s.at[0], device_id=1)`, each after what this warpgroup did before: one fence orders it for all of them."""

def semaphore_wait(semaphore: Any, value: Any = ..., decrement: Any = ..., memory_scope: Any = ...) -> Any:
    """Waits until a semaphore of this device is at least `value`, then takes `value` from it unless `decrement=False`."""

def set_max_registers(n: Any, action: Any) -> Any:
    """The warpgroup's threads have `n` registers each from here on: `action='increase'` takes what other warpgroups have given back by `'decrease'`."""

def set_param(name: Any, value: Any) -> Any:
    """From now on `param(name, …)` gives this value; None: its default again."""

def shard_map(kernel: Any, devices: Any) -> Any:
    """A SparseCore's kernel on several devices at once."""

def sharded(layout: Any, mesh: Any, sharding: Any) -> Any:
    """An array that is split over devices, as `sharding` of a kernel's annotations says; the part that a device computes with is in `layout`."""

def shift_left(x: Any, count: Any) -> Any:
    """The same as `x << count`."""

def shift_right_arithmetic(x: Any, count: Any) -> Any:
    """Each integer's bits moved right, copies of the highest bit coming from the left, for unsigned ones too."""

def shift_right_logical(x: Any, count: Any) -> Any:
    """Each integer's bits moved right, zeros coming from the left, for signed ones too; 0 from as many as there are."""

def show(x: Any, shape: Any = ..., dtype: Any = ..., *, view: Any = ..., color: Any = ..., tiling: Any = ..., swizzle: Any = ..., transpose: Any = ..., against: Any = ..., slice: Any = ..., memory: Any = ...) -> Any:
    """Draws a layout, a map, a kernel's result or its trace; writes any other value as the REPL does."""

def sign(x: Any) -> Any:
    """The sign of each element, -1, 0 or 1, in its dtype; NaN for NaN."""

def sin(x: Any, approx: Any = ...) -> Any:
    """The sine, of radians."""

def size(layout: Any) -> Any:
    """The number of a CuTe layout's coordinates."""

def slice(*bounds: Any) -> Any:
    """The slice of `x[start:stop:step]`, as a value."""

def slice_and_offset(coord: Any, layout: Any) -> Any:
    """(layout, offset): the modes where the coordinate is None or '_', and where they begin."""

def smem_map(shape: Any, dtype: Any, tiling: Any = ..., swizzle: Any = ..., transpose: Any = ...) -> Any:
    """The place of each element of a row-major array in shared memory that is cut into tiles and swizzled."""

def smem_wavefronts(op: Any, addresses: Any) -> Any:
    """Wavefronts and bank conflicts of one warp's access to shared memory, as an H200 counts them."""

def sort(operands: Any, dimension: Any = ..., *, descending: Any = ..., num_keys: Any = ...) -> Any:
    """Sorts a vector; of a tuple the first is the key, and the others go where it goes. Stable."""

def sort_key_val(keys: Any, values: Any, *, mask: Any = ..., descending: Any = ...) -> Any:
    """Sorts `keys`, and `values` with them; with a mask, lanes that it leaves out go last, and the sorted mask is the third result."""

def sorted(items: Any, *, key: Any = ..., reverse: Any = ...) -> Any:
    """A sorted list; equal items keep their order."""

def sparse_meta_layout() -> Any:
    """sparsity metadata in tensor memory: descriptive, it has no map"""

def split(x: Any, sizes: Any, axis: Any = ...) -> Any:
    """Parts of these sizes, one after the other along `axis`. The sizes sum up to that of the dimension."""

def sqrt(x: Any, approx: Any = ...) -> Any:
    """The square root."""

def static_range(*bounds: Any) -> Any:
    """As range, but a kernel's `for` over it is unrolled while the kernel is traced."""

def store(dst: Any, value: Any, idx: Any = ..., optimized: Any = ...) -> Any:
    """Writes a value, as `dst[...] = value` does. `optimized` is as for `load`."""

def store_compressed(ref: Any, x: Any, *, mask: Any) -> Any:
    """Stores the lanes of `x` that `mask` sets one after the other from the start of `ref`."""

def store_scatter(ref: Any, indices: Any, x: Any, *, mask: Any = ...) -> Any:
    """Stores each lane of `x` at its own index; of lanes with one index the highest stays."""

def str(x: Any = ...) -> Any:
    """The value as text."""

def subcore_barrier() -> Any:
    """Waits until all vector subcores of the core have come here. Each sees what the others wrote before."""

def sum(x: Any, axis: Any = ..., dtype: Any = ..., keepdims: Any = ..., start: Any = ...) -> Any:
    """The sum of an array over `axis` (an int or a tuple, negative ones from the end; all without it), in its dtype or `dtype`; or of a collection, as Python's `sum(items, start)`."""

def sync_copy(src_ref: Any, dst_ref: Any, *, add: Any = ...) -> Any:
    """Copies and waits: `async_copy` with a semaphore of its own."""

def take(x: Any, indices: Any, *, mode: Any = ...) -> Any:
    """Lane i of the result is lane `indices[i]` of `x`, counted modulo the lanes."""

def take_along_axis(x: Any, indices: Any, axis: Any = ..., mode: Any = ...) -> Any:
    """Each element of the result is the element of `x` at the same place, except along `axis`, where `indices` gives its index."""

def tanh(x: Any, approx: Any = ...) -> Any:
    """The hyperbolic tangent."""

def tcgen05_commit_arrive(barrier: Any, collective_axis: Any = ...) -> Any:
    """The barrier counts an arrival when all that this thread has started on the tensor core is done: products, and copies to tensor memory. Along `collective_axis`, that of the first block for both, at the barrier of each."""

def tcgen05_mma(acc: Any, a: Any, b: Any, barrier: Any = ..., *, a_scale: Any = ..., b_scale: Any = ..., a_sparse_metadata: Any = ..., accumulate: Any = ..., collective_axis: Any = ...) -> Any:
    """Starts `acc += a @ b` on the tensor core (sm_100a), `acc` in tensor memory: `a` of (M, K) in shared or tensor memory, `b` of (K, N) in shared memory, tiled and swizzled."""
tf32: Any

def tile_to_shape(block: Any, shape: Any, order: Any = ...) -> Any:
    """A block of shared memory repeated until it covers the shape, along the modes in that order (column-major without one)."""

def tiled_copy_smem_gmem_layout(row_tiles: Any, col_tiles: Any, swizzle: Any, bitwidth: Any) -> Any:
    """coalesced copies between row-major global memory and swizzled shared-memory tiles"""

def tiled_divide(layout: Any, tiler: Any) -> Any:
    """Cuts a layout into tiles: ((TileM,TileN),RestM,RestN)."""

def tiled_product(block: Any, tiler: Any) -> Any:
    """Repeats a block over a tiler: ((M,N),TileM,TileN)."""

def tmem_default_layout(packing: Any = ...) -> Any:
    """tensor memory of M=128 (one CTA) or M=256 (two CTAs): row r in lane r"""

def tmem_half_lane_layout(columns: Any, packing: Any = ...) -> Any:
    """tensor memory of M=64 on one CTA: each quarter holds 16 rows, left and right half of the columns"""

def tmem_m64_collective_layout(columns: Any, packing: Any = ...) -> Any:
    """tensor memory of M=128 on two CTAs: lanes 64 to 127 hold the right half of the columns"""

def tmem_native_layout(vector_length: Any = ...) -> Any:
    """TMEM_NATIVE with registers of vector_length elements"""

def trace(result: Any) -> Any:
    """The trace of a kernel that was run with `profile=True`, or of a file: `trace('double.json')`."""

def transpose(x: Any, axes: Any = ...) -> Any:
    """The array with its dimensions in the order `axes`; without it, reversed."""

def trunc_div(x: Any, y: Any) -> Any:
    """The quotient of integers rounded towards zero, as C's `/`."""

def try_cluster_cancel(result: Any, barrier: Any) -> Any:
    """Asks to take over the work of a cluster that has not begun (cluster launch control, sm_100a); the answer arrives in `result`, a `TryClusterCancelResult()`, of every block of the cluster."""

def tuned(kernel: Any, sizes: Any, table: Any = ...) -> Any:
    """The configuration for a kernel, by its name, at these sizes: what `tune` remembered of this GPU (of any, before a kernel has run on one), or a row of `table`, `{(4096, 4096, 4096): dict(group=16), …}`."""

def tuple(items: Any = ...) -> Any:
    """The items as a tuple."""

def type(x: Any) -> Any:
    """The class or type of a value; `type(x).__name__` is its name."""
u128: Any
u16: Any
u2: Any
u256: Any
u32: Any
u4: Any
u64: Any
u8: Any
uint128_t: Any
uint256_t: Any

def unpack(ab: Any, *, format: Any, preferred_element_type: Any = ...) -> Any:
    """The two vectors of which `pack` made one, in its `format`. bf16 becomes f32 and i16 becomes i32, unless `preferred_element_type` says otherwise."""

def view(*layout: Any, **options: Any) -> Any:
    """Shows a picture by the one-line text that the window's 'copy view' gives, and `lanescope show` and `lanescope gui --view` read."""

def wait_gmem_to_smem(n: Any) -> Any:
    """Waits until at most `n` copies from global memory without a barrier are pending."""

def wait_load_tmem() -> Any:
    """Waits until the warpgroup's loads from tensor memory are complete; its threads meet. Another warpgroup may then write the memory, after a barrier with `orders_tensor_core=True`."""

def wait_smem_to_gmem(n: Any, wait_read_only: Any = ...) -> Any:
    """Waits until at most `n` groups of copies to global memory are pending; with `wait_read_only`, until their sources have been read."""

def wgmma(acc: Any, a: Any, b: Any) -> Any:
    """Starts `acc += a @ b` on the tensor cores, a group of its own: `a` in shared memory or registers, `b` in shared memory, both swizzled. Wait with `wgmma_wait` before `a` or `b` is overwritten. `acc.at[:, :128]` is a part of an accumulator."""

def wgmma_accumulator_deref(acc: Any) -> Any:
    """Waits for all groups of `wgmma` and gives the accumulator's value; `acc[...]` does the same, `acc[:, :64]` for a part."""

def wgmma_accumulator_load(acc: Any, wait_n: Any = ...) -> Any:
    """The accumulator's value once at most `wait_n` groups are pending; with None, without waiting."""

def wgmma_accumulator_store(acc: Any, value: Any) -> Any:
    """Gives the accumulator a value; `acc[...] = value` does the same."""

def wgmma_wait(n: Any) -> Any:
    """Waits until at most `n` (0 to 7) groups of `wgmma` of this warpgroup are pending. Before that, the operands' memory must not be written."""

def where(condition: Any, x: Any, y: Any) -> Any:
    """`x` where the condition holds, `y` elsewhere, element by element."""

def while_loop(cond_fun: Any, body_fun: Any, init_val: Any) -> Any:
    """`body_fun(value)` as long as `cond_fun(value)` holds, from `init_val` on, each round's result the next one's value; gives the last."""

def zeros(shape: Any, dtype: Any = ...) -> Any:
    """An array of zeros. `shape` is a tuple of sizes, or one size."""

def zip(*collections: Any, strict: Any = ...) -> Any:
    """Tuples, one at a time: the first items, the second items, … as long as all have one."""

def zipped_divide(layout: Any, tiler: Any) -> Any:
    """Cuts a layout into tiles: ((TileM,TileN),(RestM,RestN))."""

def zipped_product(block: Any, tiler: Any) -> Any:
    """Repeats a block over a tiler: ((M,N),(TileM,TileN))."""
