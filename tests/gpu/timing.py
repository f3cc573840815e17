"""Times several calls together. CUPTI measures each call's kernels alone, so launches do not count.

Calls take turns (a few launches each, several rounds), so that clocks and heat are the same for all. The first round
warms up and does not count. CUPTI comes from JAX's profiler, which sees PyTorch's kernels, ours and its own.
"""
import random
import statistics


class Clock:
    def __init__(self):
        import torch
        self.torch = torch
        torch.zeros(1, device="cuda")
        import jax.numpy
        jax.numpy.zeros(1).block_until_ready()
        from jax._src.lib import mosaic_gpu
        self.extension = mosaic_gpu._mosaic_gpu_ext

    def kernels(self, call, times):
        """The milliseconds of each kernel that `times` calls launched, in order."""
        self.torch.cuda.synchronize()
        self.extension._cupti_init()
        try:
            for _ in range(times):
                call()
            self.torch.cuda.synchronize()
        finally:
            timings = self.extension._cupti_get_timings(False)
        return [milliseconds for _, milliseconds in timings]

    def compare(self, calls, rounds=5, launches=6, slow=1.2, keep=()):
        """{name: [µs of one call, …]} of `calls`, {name: function}. The order changes each round, because a call that
        leaves the GPU cool helps the next one. A call that is `slow` times slower than the best is left out after the
        first round."""
        times, order, chance = {name: [] for name in calls}, list(calls), random.Random(0)
        for turn in range(rounds + 1):
            for name in order:
                each = self.kernels(calls[name], launches)
                count = len(each) // launches  # a call may launch several kernels
                if count:
                    times[name] += [1000 * sum(each[i * count:(i + 1) * count]) for i in range(launches)]
            if turn == 0:
                first = {name: median(values) for name, values in times.items() if values}
                order = [name for name in first if first[name] <= slow * min(first.values()) or name in keep]
                for name in order:
                    times[name].clear()
            chance.shuffle(order)
        return times


def median(values):
    return statistics.median(values) if values else float("nan")
