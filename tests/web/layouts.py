"""310 layouts in all notations, each with an array, a picture and where needed a memory, for the test of the page.

    for layout, options in layouts(): …      options: shape, dtype, view, memory, tiling, swizzle: those of `lanescope show`

The list is the same in each run."""
import itertools
import random

REGISTERS = ["WGMMA", "WGMMA_8BIT", "WGMMA_UPCAST_2X", "WGMMA_UPCAST_4X", "WGMMA_TRANSPOSED", "WGMMA_ACC_32BIT", "TCGEN05",
             "TCGEN05_TRANSPOSED", "TMEM_NATIVE", "MMA_ACC(f16, 4)"]
INSTRUCTIONS = ["mma.m16n8k16.f16", "mma.m16n8k8.tf32", "mma.m16n8k32.s8"]


def registers():
    for name, shape, dtype in itertools.product(REGISTERS, [(128, 32), (128, 64), (256, 64)], ["f16", "f32"]):
        yield name, {"shape": shape, "dtype": dtype, "view": "lanes" if shape == (128, 64) else "grid"}


def tensor_memory():
    for packing, columns in itertools.product([1, 2, 4], [16, 64, 128]):
        yield f"tmem_default_layout({packing})", {"shape": (128, columns), "dtype": {1: "f32", 2: "f16", 4: "i8"}[packing], "view": "tmem"}
    for columns in [32, 64]:
        yield f"tmem_half_lane_layout({columns})", {"shape": (64, columns), "dtype": "f32", "view": "tmem"}
        yield f"tmem_m64_collective_layout({columns})", {"shape": (64, columns), "dtype": "f32", "view": "tmem"}


def mlir():
    for columns, warps in itertools.product([8, 16, 32], [(64, 16), (32, 8)]):
        yield (f"#mosaic_gpu.TiledLayout<[[{warps[0]}, {columns}], [{warps[1]}, {columns}], [8, {columns}], [{columns // 4}]], "
               f"warp_dims = [-7], lane_dims = [-3, -2], vector_dim = -1>"), {"shape": (64, 64), "dtype": "f16", "view": "grid"}
        yield f"WGStridedFragLayout(shape=({columns * 16}, {warps[0]}), vec_size={columns // 8})", {"shape": (columns * 16, warps[0]), "dtype": "f16", "view": "lanes"}


def triton(random_source):
    for _ in range(60):
        size, order = [random_source.choice([1, 2, 4, 8]) for _ in range(2)], random_source.choice(["0, 1", "1, 0"])
        across, warps = random_source.choice([(32, 1), (16, 2), (8, 4), (4, 8), (1, 32)]), random_source.choice([(1, 4), (4, 1), (2, 2), (8, 1)])
        yield (f"#ttg.blocked<{{sizePerThread = [{size[0]}, {size[1]}], threadsPerWarp = [{across[0]}, {across[1]}], "
               f"warpsPerCTA = [{warps[0]}, {warps[1]}], order = [{order}]}}>"), {
                   "shape": random_source.choice([(32, 32), (64, 16), (16, 64), (128, 64)]), "dtype": random_source.choice(["f16", "f32", "i8"]),
                   "view": random_source.choice(["grid", "lanes", "f2"])}
    for instruction in ["2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]", "3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]"]:
        for shape in [(64, 64), (128, 128)]:
            yield f"#ttg.nvidia_mma<{{versionMajor = {instruction}}}>", {"shape": shape, "dtype": "f32", "view": "grid"}


def linear(random_source):
    """The bits of an element's row and column in any order: registers, lanes and warps."""
    for _ in range(40):
        bits = [[1 << bit, 0] for bit in range(5)] + [[0, 1 << bit] for bit in range(5)]
        random_source.shuffle(bits)
        yield f"#ttg.linear<{{register = {bits[:3]}, lane = {bits[3:8]}, warp = {bits[8:]}, block = []}}>", {
            "shape": (32, 32), "dtype": random_source.choice(["f16", "f32"]), "view": random_source.choice(["grid", "lanes", "f2"])}


def cute(random_source):
    for _ in range(60):
        rows, columns = random_source.choice([4, 8, 16, 32]), random_source.choice([2, 4, 8, 16, 64])
        memory = random_source.choice(["shared", "registers"])
        padded = [(columns + 1, 1), (1, rows + 4)] if memory == "shared" else []
        strides = random_source.choice([(columns, 1), (1, rows), *padded])
        view = random_source.choice(["grid", "smem"]) if memory == "shared" else random_source.choice(["grid", "lanes"])
        yield f"({rows},{columns}):({strides[0]},{strides[1]})", {
            "shape": (rows, columns), "dtype": random_source.choice(["f16", "f32", "i8"]), "view": view, "memory": memory}
    for bits, base, shift in [(3, 3, 3), (2, 4, 3), (1, 4, 3), (3, 4, 3), (2, 3, 3)]:
        yield f"Swizzle<{bits},{base},{shift}> o smem_ptr[16b](unset) o (8,64):(64,1)", {"shape": (8, 64), "dtype": "f16", "view": "smem"}
    yield "((4,8),2):((16,1),8)", {"shape": (8, 8), "dtype": "f32", "view": "lanes", "memory": "registers"}


def tilus(random_source):
    for _ in range(35):
        factors = [random_source.choice([(8, 4), (4, 8), (32, 1), (1, 32), (16, 2)])]
        parts = [f"spatial({factors[0][0]}, {factors[0][1]})"]
        for _ in range(random_source.randrange(3)):
            factor = (random_source.choice([1, 2, 4]), random_source.choice([1, 2, 4]))
            factors.append(factor)
            parts.insert(random_source.randrange(len(parts) + 1), f"local({factor[0]}, {factor[1]})")
        rows, columns = 1, 1
        for factor in factors:
            rows, columns = rows * factor[0], columns * factor[1]
        yield ".".join(parts), {"shape": (rows, columns), "dtype": "f16", "view": random_source.choice(["grid", "lanes"])}


def others():
    for rows, vector in itertools.product([8, 16], [2, 4]):
        yield (f"S[({rows},4,{vector}):(4@laneid,1@laneid,1@m)]" if rows == 8 else f"S[(8,2,4,{vector}):(4@laneid,{vector}@m,1@laneid,1@m)]",
               {"shape": (rows, 4 * vector), "dtype": "f16", "view": "grid"})
    yield "S[(8,64):(64@m,1@m)]", {"shape": (8, 64), "dtype": "f16", "view": "smem"}
    yield "S[(2,128,112):(112@TCol,1@TLane,1@TCol)]", {"shape": (256, 112), "dtype": "f32", "view": "tmem"}
    yield ("Fragment([16, 8] -> [4], replicate: 1, thread: 32, forward_thread: _i % 8 * 4 + _j // 2, forward_index: [_i // 8 * 2 + _j % 2])",
           {"shape": (16, 8), "dtype": "f16", "view": "grid"})
    yield ("Layout([8, 64] -> [8, 64], transform: [_i, _j] -> [_i, T.bitwise_xor(_j // 8, _i) * 8 + _j % 8])",
           {"shape": (8, 64), "dtype": "f16", "view": "smem"})
    for tile in ["(8,128)", "(8,128)(2,1)", "(16,128)(2,1)"]:
        yield f"#tpu.tiled<{tile},[2,1]>", {"shape": (16, 256), "dtype": "f32" if tile == "(8,128)" else "bf16", "view": "smem"}
    for name in INSTRUCTIONS:
        yield name, {"shape": (16, 8), "dtype": "f32", "view": "grid"}
    for swizzle, transpose in itertools.product([32, 64, 128], [False, True]):
        width = swizzle // 2
        options = {"shape": (64, 64), "dtype": "f16", "view": "smem", "tiling": (8, width), "swizzle": swizzle}
        yield "WGMMA", options | ({"transpose": True} if transpose else {})


def layouts():
    source = random.Random(43)
    found = [*registers(), *tensor_memory(), *mlir(), *triton(source), *linear(source), *cute(source), *tilus(source), *others()]
    source.shuffle(found)
    return found


if __name__ == "__main__":
    print(len(layouts()))
