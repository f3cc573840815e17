# out = a @ b for few rows and a deep K: the blocks share K, each adds its part to the sum in global memory.
# lanescope run kernels/split_k.py
