// A kernel whose blocks wait for each other's flags, and never raise them.
#include <cstdio>

__global__ void wait(volatile int *flags) {
  while (flags[1 - blockIdx.x] == 0)
    ;
  flags[blockIdx.x] = 1;
}

int main() {
  int *flags;
  if (cudaMalloc(&flags, 8) || cudaMemset(flags, 0, 8))
    return 1;
  wait<<<2, 1>>>(flags);
  std::printf("%d\n", cudaDeviceSynchronize());
}
