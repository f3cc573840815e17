help wgmma
show "WGMMA"
print f"{x}"
run samples/kernels/double.py
tl.load(x, mask=m)
x = cute.make_layout((8, 4))
@triton.jit
def f(x): threadIdx.x + blockIdx.y
