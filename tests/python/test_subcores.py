"""Tests SparseCore kernels in Lanescope's stand-in for JAX, with the kinds of programs for which people write them.

  test_subcores.py REPOSITORY

ctest runs it with PYTHONPATH=<build>/python. It needs NumPy, and is skipped if JAX is installed."""

import contextlib
import functools
import importlib.util
import io
import subprocess
import sys
import tempfile
import unittest

SKIPPED = 77
try:
    import numpy as np
except ImportError:
    sys.exit(SKIPPED)
if importlib.util.find_spec("jax"):
    sys.exit(SKIPPED)

import lanescope  # noqa: E402
from lanescope import standin  # noqa: E402

standin.install(stop=True)  # a fault is raised
with contextlib.redirect_stderr(io.StringIO()):
    import jax
    import jax.numpy as jnp
    from jax import lax
    from jax.experimental import pallas as pl
    from jax.experimental.pallas import tpu as pltpu
    from jax.experimental.pallas import tpu_sc as plsc

LANES = 16
i32, f32, bf16 = jnp.int32, jnp.float32, jnp.bfloat16


def vectors(cores=1, subcores=16):
    return plsc.VectorSubcoreMesh(core_axis_name="core", subcore_axis_name="subcore", num_cores=cores, num_subcores=subcores)


def struct(shape, dtype=i32):
    return jax.ShapeDtypeStruct(shape, dtype)


def random(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)


def whole(n):
    """Integers below n, in random order."""
    return np.random.default_rng(n).permutation(n).astype(np.int32)


class OneSubcore(unittest.TestCase):
    """Kernels in which the first subcore does all the work: `f(*operands in VMEM, *outputs in VMEM, *scratch)`."""

    def run_one(self, body, out, *operands, scratch=(), **options):
        outs = out if isinstance(out, tuple) else (out,)

        def whole_kernel(*refs):
            given, rest = refs[: len(operands) + len(outs)], refs[len(operands) + len(outs) :]

            def inside(*blocks):
                for block, ref in zip(blocks, given[: len(operands)]):
                    pltpu.sync_copy(ref, block)
                body(*blocks, *rest)
                for block, ref in zip(blocks[len(operands) :], given[len(operands) :]):
                    pltpu.sync_copy(block, ref)

            pl.run_scoped(inside, *[pltpu.VMEM(x.shape, x.dtype) for x in (*map(jnp.asarray, operands), *outs)])

        params = pltpu.CompilerParams(**options) if options else None
        kernel = pl.kernel(whole_kernel, out_type=outs, mesh=vectors(subcores=1), scratch_types=list(scratch), compiler_params=params)
        results = [np.asarray(x) for x in kernel(*operands)]
        return results if isinstance(out, tuple) else results[0]

    def test_gather_of_lanes(self):
        table, at = random(64), whole(64)[:LANES]

        def body(table, at, out):
            out[...] = plsc.load_gather(table, [at[...]])

        np.testing.assert_array_equal(self.run_one(body, struct((LANES,), f32), table, at), table[at])

    def test_scatter_of_lanes_under_a_mask(self):
        at, x = whole(LANES), np.arange(LANES, dtype=np.int32)

        def body(at, x, out):
            out[...] = jnp.zeros_like(out)
            plsc.store_scatter(out, [at[...]], x[...], mask=x[...] % 3 == 0)

        wanted = np.zeros(LANES, np.int32)
        wanted[at[x % 3 == 0]] = x[x % 3 == 0]
        np.testing.assert_array_equal(self.run_one(body, struct((LANES,)), at, x), wanted)

    def test_histogram(self):
        x = np.random.default_rng(1).integers(0, 32, 256, dtype=np.int32)

        def body(x, counts):
            @pl.loop(0, 32, step=LANES)
            def _(i):
                counts[pl.ds(i, LANES)] = jnp.zeros(LANES, i32)

            @pl.loop(0, 256, step=LANES)
            def _(i):
                plsc.addupdate_scatter(counts, [x[pl.ds(i, LANES)]], jnp.ones(LANES, i32))

        np.testing.assert_array_equal(self.run_one(body, struct((32,)), x), np.bincount(x, minlength=32))

    def test_compaction(self):
        x = np.random.default_rng(2).integers(-9, 9, 64, dtype=np.int32)

        def body(x, out, count):
            def step(i, n):
                chunk = x[pl.ds(i * LANES, LANES)]
                keep = chunk > 0
                plsc.store_compressed(out.at[pl.ds(n, LANES)], chunk, mask=keep)
                return n + plsc.all_reduce_population_count(keep)[0]

            count[...] = jnp.full(LANES, lax.fori_loop(0, 4, step, 0), i32)

        out, count = self.run_one(body, (struct((64 + LANES,)), struct((LANES,))), x)
        self.assertEqual(count[0], (x > 0).sum())
        np.testing.assert_array_equal(out[: count[0]], x[x > 0])

    def test_a_bitonic_merge_of_sorted_vectors(self):
        x = whole(2 * LANES)

        def body(x, out):
            low, high = jnp.sort(x[:LANES]), jnp.flip(jnp.sort(x[LANES:]))
            out[:LANES] = jnp.sort(jnp.minimum(low, high))
            out[LANES:] = jnp.sort(jnp.maximum(low, high))

        np.testing.assert_array_equal(self.run_one(body, struct((2 * LANES,)), x), np.sort(x))

    def test_sorts_with_values_both_ways(self):
        keys, values = random(LANES), whole(LANES)

        def body(keys, values, up, down, places):
            up[...] = plsc.sort_key_val(keys[...], values[...])[1]
            down[...] = plsc.sort_key_val(keys[...], values[...], descending=True)[1]
            places[...] = jnp.argsort(keys[...])

        order = np.argsort(keys, kind="stable")
        up, down, places = self.run_one(body, (struct((LANES,)),) * 3, keys, values)
        np.testing.assert_array_equal(up, values[order])
        np.testing.assert_array_equal(down, values[order[::-1]])
        np.testing.assert_array_equal(places, order)

    def test_prefix_sum_over_chunks(self):
        x = np.random.default_rng(3).integers(0, 100, 128, dtype=np.int32)

        def body(x, out):
            def step(i, total):
                here = jnp.cumsum(x[pl.ds(i * LANES, LANES)])
                out[pl.ds(i * LANES, LANES)] = here + total
                return total + here[LANES - 1]

            lax.fori_loop(0, 8, step, 0)

        np.testing.assert_array_equal(self.run_one(body, struct((128,)), x), np.cumsum(x))

    def test_packs_bf16_and_int16_into_words(self):
        a, b = random(LANES), random(LANES, seed=1)

        def body(a, b, first, second, words):
            packed = plsc.pack(a[...], b[...], format=plsc.PackFormat.INTERLEAVED)
            first[...], second[...] = plsc.unpack(packed, format=plsc.PackFormat.INTERLEAVED)
            halves = plsc.pack(jnp.arange(LANES), -jnp.arange(LANES), format=plsc.PackFormat.INTERLEAVED)
            words[...] = plsc.bitcast(halves, i32)

        first, second, words = self.run_one(body, (struct((LANES,), f32),) * 2 + (struct((LANES,)),), a, b, needs_layout_passes=False)
        for found, wanted in ((first, a), (second, b)):
            np.testing.assert_array_equal(found, np.asarray(jnp.asarray(wanted, bf16).astype(f32)))
        lanes = np.arange(LANES)
        np.testing.assert_array_equal(words.view(np.uint32), (lanes | (-lanes & 0xFFFF) << 16).astype(np.uint32))

    def test_two_rows_of_bf16_in_each_word(self):
        x = random(4, LANES)

        def body(x, out):
            out[...] = (x[...].astype(f32) * 2).astype(bf16)

        out = self.run_one(body, struct((4, LANES), bf16), jnp.asarray(x, bf16))
        np.testing.assert_array_equal(out.astype(np.float32), 2 * np.asarray(jnp.asarray(x, bf16).astype(f32)))

    def test_lanes_by_vectors_and_by_numbers_of_the_device(self):
        x, at = random(LANES), whole(LANES)

        def body(x, at, chosen, last, along):
            chosen[...] = x[...][at[...]]
            last[...] = jnp.full(LANES, x[...][at[...][3]])
            along[...] = jnp.take_along_axis(x[...], at[...] - LANES * (at[...] // LANES), axis=0)

        chosen, last, along = self.run_one(body, (struct((LANES,), f32),) * 3, x, at)
        np.testing.assert_array_equal(chosen, x[at])
        np.testing.assert_array_equal(last, np.full(LANES, x[at[3]]))
        np.testing.assert_array_equal(along, x[at])

    def test_constants_of_any_numbers_and_masks(self):
        primes = np.array([2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53], np.int32)
        x = np.arange(LANES, dtype=np.int32)

        def body(x, out):
            out[...] = jnp.where(jnp.asarray(primes % 4 == 1), x[...] * jnp.asarray(primes), -x[...])

        np.testing.assert_array_equal(self.run_one(body, struct((LANES,)), x), np.where(primes % 4 == 1, x * primes, -x))

    def test_parallel_loop_carries_a_tree(self):
        x = random(128)

        def body(x, out):
            start = {"most": jnp.full(LANES, -jnp.inf, f32), "sum": jnp.zeros(LANES, f32)}

            @plsc.parallel_loop(0, 128, LANES, unroll=2, carry=start)
            def found(i, carry):
                here = x[pl.ds(i, LANES)]
                return {"most": jnp.maximum(carry["most"], here), "sum": carry["sum"] + here}

            out[0], out[1] = found["most"], found["sum"]

        rows, out = x.reshape(8, LANES), self.run_one(body, struct((2, LANES), f32), x)
        np.testing.assert_array_equal(out[0], rows.max(0))
        np.testing.assert_allclose(out[1], rows.sum(0), rtol=1e-5, atol=1e-5)

    def test_scan_count_finds_the_last_of_equal_keys(self):
        x = np.array([3, 1, 3, 3, 1, 2, 0, 3] * 2, np.int32)

        def body(x, counts, last):
            counts[...], mask = plsc.scan_count(x[...])
            last[...] = mask.astype(i32)

        counts, last = self.run_one(body, (struct((LANES,)),) * 2, x)
        np.testing.assert_array_equal(counts, [(x[: i + 1] == x[i]).sum() for i in range(LANES)])
        np.testing.assert_array_equal(last, [x[i] not in x[i + 1 :] for i in range(LANES)])

    def test_functions_of_floats_have_the_hosts_numbers(self):
        x = random(LANES)
        for function in (jnp.exp, jnp.tanh, jnp.abs, lax.rsqrt, lambda x: x * x - x):
            given = np.abs(x) + 1 if function is lax.rsqrt else x

            def body(x, out, function=function):
                out[...] = function(x[...])

            np.testing.assert_allclose(self.run_one(body, struct((LANES,), f32), given), function(jnp.asarray(given)), rtol=2e-7)

    def test_rows_are_stacked(self):
        x = whole(LANES)

        def body(x, out):
            out[...] = jnp.stack([x[...], x[...] * 2], axis=0)

        np.testing.assert_array_equal(self.run_one(body, struct((2, LANES)), x), np.stack([x, 2 * x]))

    def test_bf16_that_is_no_number_keeps_its_bits(self):
        bits = np.arange(0x7F80, 0x7F80 + 2 * LANES, dtype=np.uint16)  # infinity and different NaNs
        out = pl.kernel(lambda x, out: pltpu.sync_copy(x, out), out_type=struct(bits.shape, bf16),
                        mesh=plsc.ScalarSubcoreMesh(axis_name="core", num_cores=1))(jnp.asarray(bits).view(bf16))  # fmt: skip
        np.testing.assert_array_equal(out.view(jnp.uint16), bits)

    def test_views_of_bits(self):
        x = random(LANES)

        def body(x, out):
            out[...] = x[...].view(jnp.uint32) >> 23

        np.testing.assert_array_equal(self.run_one(body, struct((LANES,), jnp.uint32), x), x.view(np.uint32) >> 23)


class ManySubcores(unittest.TestCase):
    def test_embedding_lookup_by_rows(self):
        table, rows = random(256, 64), whole(256)
        mesh = vectors(cores=2)
        each = 256 // mesh.size

        @pl.kernel(out_type=struct((256, 64), f32), mesh=mesh,
                   scratch_types=[pltpu.VMEM((each,), i32), pltpu.VMEM((each, 64), f32), pltpu.SemaphoreType.DMA])  # fmt: skip
        def lookup(table, rows, out, numbers, tile, sem):
            mine = pl.ds(lax.axis_index(("core", "subcore")) * each, each)
            pltpu.sync_copy(rows.at[mine], numbers)
            pltpu.async_copy(table.at[numbers], tile, sem).wait()
            pltpu.sync_copy(tile, out.at[mine])

        np.testing.assert_array_equal(lookup(table, rows), table[rows])

    def test_segment_sum_in_shared_memory(self):
        x = np.random.default_rng(4).integers(0, 50, (16 * LANES, LANES), dtype=np.int32)
        segments = np.sort(np.random.default_rng(5).integers(0, 32, 16 * LANES, dtype=np.int32))

        @pl.kernel(out_type=struct((32, LANES)), mesh=vectors(), scratch_types=dict(
            shared=pltpu.VMEM_SHARED((32, LANES), i32), tile=pltpu.VMEM((LANES, LANES), i32), ids=pltpu.VMEM((LANES,), i32),
            part=pltpu.VMEM((2, LANES), i32)))  # fmt: skip
        def sums(x, segments, out, *, shared, tile, ids, part):
            i = lax.axis_index("subcore")
            mine, rows = pl.ds(2 * i, 2), pl.ds(i * LANES, LANES)
            part[...] = jnp.zeros((2, LANES), i32)
            pltpu.sync_copy((part, x.at[rows], segments.at[rows]), (shared.at[mine], tile, ids))
            plsc.subcore_barrier()
            pltpu.sync_copy(tile, shared.at[ids], add=True)
            plsc.subcore_barrier()
            pltpu.sync_copy(shared.at[mine], out.at[mine])

        wanted = np.zeros((32, LANES), np.int32)
        np.add.at(wanted, segments, x)
        np.testing.assert_array_equal(sums(x, segments), wanted)

    def test_scatter_passes_over_rows(self):
        x, rows = random(LANES, 32), whole(LANES)

        @pl.kernel(out_type=struct((LANES, 32), f32), mesh=vectors(subcores=1),
                   scratch_types=[pltpu.VMEM((LANES, 32), f32), pltpu.VMEM((LANES,), i32)])  # fmt: skip
        def scatter(x, rows, out, tile, numbers):
            pltpu.sync_copy((x, rows), (tile, numbers))
            pltpu.sync_copy(tile, out.at[plsc.Indices(numbers, ignored_value=5)])

        out, kept = np.asarray(scatter(x, rows)), rows != 5
        np.testing.assert_array_equal(out[rows[kept]], x[kept])

    def test_pipeline_shares_the_grid_among_subcores(self):
        x = random(24, 128)

        @pl.kernel(out_type=struct((24, 128), f32), mesh=vectors(cores=2, subcores=4))
        def double(x, out):
            def body(x, out):
                @pl.loop(0, 128, step=LANES)
                def _(i):
                    out[0, pl.ds(i, LANES)] = x[0, pl.ds(i, LANES)] * 2

            pltpu.emit_pipeline(body, grid=(24,), in_specs=[pl.BlockSpec((1, 128), lambda i: (i, 0))],
                                out_specs=[pl.BlockSpec((1, 128), lambda i: (i, 0))], core_axis_name=("core", "subcore"),
                                dimension_semantics=(pltpu.PARALLEL,))(x, out)  # fmt: skip

        np.testing.assert_array_equal(double(x), 2 * x)

    def test_pipeline_adds_up_in_a_block_that_stays(self):
        x = np.arange(6 * 3 * LANES, dtype=np.int32).reshape(6, 3 * LANES)

        @pl.kernel(out_type=struct((3 * LANES,)), mesh=vectors(subcores=1))
        def columns(x, out):
            @functools.partial(pltpu.emit_pipeline, grid=(3, 6), in_specs=pl.BlockSpec((pl.Squeezed(), LANES), lambda j, i: (i, j)),
                               out_specs=pl.BlockSpec((LANES,), lambda j, i: (j,)))  # fmt: skip
            def add(x, out):
                pl.when(pl.program_id(1) == 0)(lambda: out.__setitem__(..., jnp.zeros(LANES, i32)))
                out[...] += x[...]

            add(x, out)

        np.testing.assert_array_equal(columns(x), x.sum(0))

    def test_pipeline_over_an_end_and_with_a_grid_of_the_device(self):
        x = np.arange(72, dtype=np.int32)

        @pl.kernel(out_type=struct((72,)), mesh=vectors(subcores=1), scratch_types=[pltpu.VMEM((LANES,), i32)])
        def negate(count, x, out, number):
            pltpu.sync_copy(count, number)
            spec = pl.BlockSpec((LANES,), lambda i: (i,))

            def body(x, out):
                out[...] = -x[...]

            pltpu.emit_pipeline(body, grid=(number[...][0],), in_specs=spec, out_specs=spec)(x, out)

        np.testing.assert_array_equal(negate(np.full(LANES, 5, np.int32), x), -x)

    def test_subcores_hand_on_by_semaphores(self):
        @pl.kernel(out_type=struct((16, LANES)), mesh=vectors(), scratch_types=[
            pltpu.VMEM_SHARED((16, LANES), i32), pltpu.VMEM((LANES,), i32), pltpu.SemaphoreType.REGULAR])  # fmt: skip
        def chain(out, shared, tile, ready):
            i = lax.axis_index("subcore")
            tile[...] = jnp.full(LANES, 1, i32)

            @pl.when(i > 0)
            def _():
                pl.semaphore_wait(ready, 1)
                pltpu.sync_copy(shared.at[i - 1], tile)
                tile[...] = tile[...] * 2

            pltpu.sync_copy(tile, shared.at[i])
            pl.when(i < 15)(lambda: pl.semaphore_signal(ready, 1, device_id={"subcore": i + 1}))
            pltpu.sync_copy(tile, out.at[i])

        np.testing.assert_array_equal(np.asarray(chain())[:, 0], 2 ** np.arange(16))

    def test_fetch_and_add_counts_tickets(self):
        @pl.kernel(out_type=struct((16, LANES)), mesh=vectors(), scratch_types=[pltpu.SMEM((1,), i32), pltpu.VMEM((LANES,), i32)])
        def tickets(out, counter, tile):
            i = lax.axis_index("subcore")
            counter[0] = 0
            plsc.subcore_barrier()
            ticket = plsc.fetch_and_add(counter.at[0], 1, subcore_id=0)
            tile[...] = jnp.full(LANES, ticket)
            pltpu.sync_copy(tile, out.at[i])

        self.assertEqual(sorted(np.asarray(tickets())[:, 0]), list(range(16)))

    def test_a_mesh_of_the_chip_has_all_of_it(self):
        for chip, cores, lanes in (("7x", 2, 16), ("v6e", 2, 8), ("8i", 1, 16)):
            standin.chip = chip
            try:
                info = plsc.get_sparse_core_info()
                self.assertEqual((info.num_cores, info.num_lanes, str(pltpu.get_tpu_info().chip_version)), (cores, lanes, chip))
                mesh = plsc.VectorSubcoreMesh(core_axis_name="c", subcore_axis_name="s")
                self.assertEqual(dict(mesh.shape), {"c": cores, "s": info.num_subcores})

                @pl.kernel(out_type=struct((mesh.size, lanes)), mesh=mesh, scratch_types=[pltpu.VMEM((lanes,), i32)])
                def places(out, tile, lanes=lanes):
                    mine = lax.axis_index(("c", "s"))
                    tile[...] = jnp.arange(lanes) + mine
                    pltpu.sync_copy(tile, out.at[mine])

                np.testing.assert_array_equal(places(), np.arange(mesh.size)[:, None] + np.arange(lanes))
            finally:
                standin.chip = "7x"


class ScalarSubcores(unittest.TestCase):
    def test_prefix_sum_of_scalars(self):
        x = whole(32)

        @pl.kernel(out_type=struct((32,)), mesh=plsc.ScalarSubcoreMesh(axis_name="core", num_cores=1), scratch_types=[pltpu.SMEM((32,), i32)])
        def sums(x, out, memory):
            pltpu.sync_copy(x, memory)

            @pl.loop(1, 32)
            def _(i):
                memory[i] += memory[i - 1]

            pltpu.sync_copy(memory, out)

        np.testing.assert_array_equal(sums(x), np.cumsum(x))

    def test_each_core_copies_its_part(self):
        x = random(2, 64)
        mesh = plsc.ScalarSubcoreMesh(axis_name="core", num_cores=2)

        @pl.kernel(out_type=struct((2, 64), f32), mesh=mesh, scratch_types=[pltpu.SemaphoreType.DMA((2,))])
        def copy(x, out, sems):
            core = lax.axis_index("core")
            first = pltpu.async_copy(x.at[core, :32], out.at[core, :32], sems.at[0])
            second = pltpu.async_copy(x.at[core, pl.ds(32, 32)], out.at[core, pl.ds(32, 32)], sems.at[1])
            first.wait()
            second.wait()

        np.testing.assert_array_equal(copy(x), x)

    def test_scalar_and_vector_subcores_side_by_side(self):
        scalars = plsc.ScalarSubcoreMesh(axis_name="core", num_cores=1)
        mesh = vectors()
        x = whole(256).reshape(16, 16)

        def fetch(x, out, shared, ready):
            pltpu.sync_copy(x, shared)
            for s in range(16):
                pl.semaphore_signal(ready, device_id={"core": 0, "subcore": s})

        def double(x, out, shared, ready):
            i = lax.axis_index("subcore")

            def inside(tile):
                pl.semaphore_wait(ready, 1)
                pltpu.sync_copy(shared.at[i], tile)
                tile[...] = tile[...] * 2
                pltpu.sync_copy(tile, out.at[i])

            pl.run_scoped(inside, pltpu.VMEM((16,), i32))

        both = pl.kernel([fetch, double], out_type=struct((16, 16)), mesh=[scalars, mesh],
                         scratch_types=[pltpu.VMEM_SHARED((16, 16), i32), pltpu.SemaphoreType.REGULAR @ mesh])  # fmt: skip
        np.testing.assert_array_equal(both(x), 2 * x)

    def test_core_map_writes_the_arrays_that_it_closes_over(self):
        x = whole(64)

        @jax.jit
        def shifted(x):
            source, target = jax.new_ref(x), pl.empty_ref_like(pltpu.HBM((64,), i32))

            @pl.core_map(vectors(subcores=4), scratch_types=[pltpu.VMEM((LANES,), i32)])
            def _(tile):
                mine = pl.ds(lax.axis_index("subcore") * LANES, LANES)
                pltpu.sync_copy(source.at[mine], tile)
                tile[...] = tile[...] + 7
                pltpu.sync_copy(tile, target.at[mine])

            return target[...]

        np.testing.assert_array_equal(shifted(x), x + 7)

    def test_a_copy_begun_in_one_kernel_is_waited_for_in_the_next(self):
        x = random(8, 128)
        mesh = plsc.ScalarSubcoreMesh(axis_name="core", num_cores=1)
        sem = jax.new_ref(pl.kernel(lambda _: None, out_type=pltpu.SemaphoreType.DMA(()), mesh=mesh)(), memory_space=pltpu.SEMAPHORE)
        source, target = jax.new_ref(jnp.asarray(x)), pl.empty_ref_like(pltpu.HBM(x.shape, x.dtype))
        pl.core_map(mesh)(lambda: pltpu.make_async_copy(source, target, sem).start())
        pl.core_map(mesh)(lambda: pltpu.make_async_copy(source, target, sem).wait())
        np.testing.assert_array_equal(target[...], x)


TOTAL = jax.new_ref(jnp.arange(LANES))


def add_to_total():
    def inside(tile):
        pltpu.sync_copy(TOTAL, tile)
        tile[...] = tile[...] + 1
        pltpu.sync_copy(tile, TOTAL)

    pl.run_scoped(inside, pltpu.VMEM((LANES,), i32))


class Globals(unittest.TestCase):
    def test_kernels_change_mutable_arrays_of_their_module(self):
        pl.kernel(add_to_total, mesh=vectors(subcores=1))()
        pl.kernel(lambda: add_to_total(), mesh=vectors(subcores=1))()
        np.testing.assert_array_equal(TOTAL[...], np.arange(LANES) + 2)


class Devices(unittest.TestCase):
    def test_a_ring_of_devices(self):
        mesh = jax.make_mesh((2, 2), ("y", "x"))
        x = whole(4 * 8 * 128).reshape(32, 128)

        @pl.kernel(out_type=struct((8, 128)), mesh=plsc.ScalarSubcoreMesh(axis_name="core", num_cores=1),
                   scratch_types=[pltpu.SemaphoreType.REGULAR, pltpu.SemaphoreType.DMA, pltpu.SemaphoreType.DMA])  # fmt: skip
        def turn(x, out, ready, sent, come):
            self.assertEqual((lax.axis_size("x"), lax.axis_size("core")), (2, 1))
            neighbour = {"x": (lax.axis_index("x") + 1) % 2}
            pl.semaphore_signal(ready, device_id=neighbour)
            pl.semaphore_wait(ready, 1)
            copy = pltpu.make_async_remote_copy(x, out, sent, come, device_id=(lax.axis_index("y"), neighbour["x"]))
            copy.start()
            copy.wait_send()
            copy.wait_recv()

        spec = jax.P(("y", "x"))
        out = jax.shard_map(turn, mesh=mesh, in_specs=spec, out_specs=spec, check_vma=False)(x)
        np.testing.assert_array_equal(out, np.concatenate([x[8:16], x[:8], x[24:], x[16:24]]))

    def test_bodies_side_by_side_read_what_they_close_over(self):
        table = jax.new_ref(whole(64).reshape(4, 16), memory_space=pltpu.HBM)
        rows = [table]
        mesh = vectors(subcores=4)

        def fetch(out, ready):
            for s in range(4):
                pl.semaphore_signal(ready, device_id={"core": 0, "subcore": s})

        def copy(out, ready):
            i = lax.axis_index("subcore")
            pl.semaphore_wait(ready, 1)

            def inside(tile):
                pltpu.sync_copy(rows[0].at[3 - i], tile)
                pltpu.sync_copy(tile, out.at[i])

            pl.run_scoped(inside, pltpu.VMEM((16,), i32))

        scalars = plsc.ScalarSubcoreMesh(axis_name="core", num_cores=1)
        both = pl.kernel([fetch, copy], out_type=struct((4, 16)), mesh=[scalars, mesh], scratch_types=[pltpu.SemaphoreType.REGULAR @ mesh])
        np.testing.assert_array_equal(both(), table[...][::-1])


class Refused(unittest.TestCase):
    def kernel(self, body, *scratch, operands=1, mesh=None):
        made = pl.kernel(body, out_type=struct((LANES,)), mesh=mesh or vectors(subcores=1), scratch_types=list(scratch))
        return made(*[np.arange(LANES, dtype=np.int32)] * operands)

    def test_what_hbm_and_vmem_do_not_do(self):
        def load(x, out):
            out[...] = x[...]

        def scalar(x, out, tile):
            tile[0] = 1

        def row(x, out, tile):
            tile[:, 0] = jnp.zeros(4, i32)

        with self.assertRaisesRegex(NotImplementedError, "Get does not support loading from HBM"):
            self.kernel(load)
        with self.assertRaisesRegex(NotImplementedError, "Trying to swap a scalar in VMEM"):
            self.kernel(scalar, pltpu.VMEM((LANES,), i32))
        with self.assertRaisesRegex(NotImplementedError, "Integer indexing of refs that follows a non-trivial slice"):
            self.kernel(row, pltpu.VMEM((4, 4), i32))

    def test_dtypes_shapes_and_masks(self):
        def mask(x, out, tile):
            plsc.store_compressed(tile, tile[...], mask=tile[...])

        def dtype(x, out, tile):
            pltpu.sync_copy(x, tile)

        with self.assertRaisesRegex(TypeError, "Mask must be a boolean array"):
            self.kernel(mask, pltpu.VMEM((LANES,), i32))
        with self.assertRaisesRegex(lanescope.Error, "copies do not convert"):
            self.kernel(dtype, pltpu.VMEM((LANES,), f32))
        with self.assertRaisesRegex(ValueError, "Mesh has 9 cores, but the current TPU chip has only 2"):
            vectors(cores=9)

    def test_a_body_returns_nothing_and_a_wait_counts_down(self):
        def waits(x, out, sem):
            pl.semaphore_signal(sem, 1)
            pl.semaphore_wait(sem, 1, decrement=False)

        with self.assertRaisesRegex(ValueError, "should return None. It returns 3"):
            self.kernel(lambda x, out: 3)
        with self.assertRaisesRegex(ValueError, "must not return any outputs"):
            pl.core_map(vectors(subcores=1))(lambda: 3)
        with self.assertRaisesRegex(NotImplementedError, "Non-decrementing wait"):
            self.kernel(waits, pltpu.SemaphoreType.REGULAR)

    def test_a_mutable_array_comes_once(self):
        array = jax.new_ref(jnp.zeros(LANES, i32))
        for body, operands in ((lambda a, b: None, (array, array)), (lambda a: pltpu.sync_copy(a, array), (array,))):
            with self.assertRaisesRegex(NotImplementedError, "same ref|Closed-over ref"):
                pl.kernel(body, mesh=vectors(subcores=1))(*operands)

    def test_a_race_and_a_missing_wait_are_faults(self):
        def race(x, out, shared, tile):
            tile[...] = jnp.full(LANES, lax.axis_index("subcore"))
            pltpu.sync_copy(tile, shared)

        def unwaited(x, out, tile, sem):
            pltpu.async_copy(x, tile, sem)
            tile[...] = tile[...] + 1
            pltpu.make_async_copy(x, tile, sem).wait()
            pltpu.sync_copy(tile, out)

        def unwritten(x, out, tile):
            tile[...] = tile[...] + 1
            pltpu.sync_copy(tile, out)

        with self.assertRaisesRegex(lanescope.Fault, "nothing orders"):
            self.kernel(race, pltpu.VMEM_SHARED((LANES,), i32), pltpu.VMEM((LANES,), i32), mesh=vectors())
        with self.assertRaises(lanescope.Fault):
            self.kernel(unwaited, pltpu.VMEM((LANES,), i32), pltpu.SemaphoreType.DMA)
        with self.assertRaises(lanescope.Fault):
            self.kernel(unwritten, pltpu.VMEM((LANES,), i32))

    def test_a_name_that_is_not_here_says_so(self):
        for module, name in ((pltpu, "matmul_push_rhs"), (plsc, "no_such_name"), (pltpu, "prng_seed")):
            with self.assertRaisesRegex(AttributeError, "`pip install jax` runs this file whole"):
                getattr(module, name)

    def test_the_command_says_which_chip_it_is(self):
        text = """
import jax
from jax.experimental.pallas import tpu as pltpu
print(pltpu.get_tpu_info().sparse_core.num_lanes, jax.devices()[0].platform, jax.devices()[0].device_kind, jax.default_backend())
"""
        with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
            file.write(text)
            file.flush()
            done = subprocess.run([sys.executable, "-m", "lanescope", "run", "--tpu", "v6e", file.name], capture_output=True, text=True)
        self.assertEqual((done.stdout, done.returncode), ("8 tpu TPU v6 lite tpu\n", 0), done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
