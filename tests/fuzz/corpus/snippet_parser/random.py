import numpy as np
rng = np.random.default_rng(3)
x = rng.integers([0, 5], [9, 7], size=(3, 2))
y = rng.gamma([0.5, 2.0], size=(2, 2)) + rng.binomial([9, 90], 0.3)
z = rng.permuted(np.arange(6).reshape(2, 3), axis=1)
rng.shuffle(z, axis=1)
w = rng.choice(z, 2, axis=1), rng.multinomial(9, [0.2, 0.8]), rng.dirichlet([0.05, 0.02])
np.pad(np.ones((2, 2)), ((0, 1), (2, 0)), mode="reflect").view(np.int32).sum(0, np.int64)
np.max(np.ones((2, 3)), 1, initial=4)[..., None]
