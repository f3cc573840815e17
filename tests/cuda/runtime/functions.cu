// Addresses of device functions in a table of the module, which the host reads and passes to another kernel; recursion;
// `new` and `delete` on the device.
#include <cstdio>

using Operation = int (*)(int, int);
__device__ int add(int a, int b) { return a + b; }
__device__ int subtract(int a, int b) { return a - b; }
__device__ int power(int a, int b) { return b == 0 ? 1 : a * power(a, b - 1); }
__device__ Operation operations[] = {add, subtract, power};
__device__ Operation one = subtract;

__global__ void byTable(int *out) { out[threadIdx.x] = operations[threadIdx.x](5, 3); }
__global__ void other(int *out) { *out = add(1, 2); }
__global__ void byValue(int *out, Operation operation) { *out = operation(9, 2); }
__global__ void onHeap(int *out) {
  int *own = new int[4];
  for (int n = 0; n < 4; ++n)
    own[n] = n * static_cast<int>(threadIdx.x);
  out[threadIdx.x] = own[3];
  delete[] own;
}

int main() {
  int *out = nullptr;
  cudaMallocManaged(&out, 32 * sizeof(int));
  other<<<1, 1>>>(out);
  byTable<<<1, 3>>>(out);
  cudaDeviceSynchronize();
  if (out[0] != 8 || out[1] != 2 || out[2] != 125)
    return std::printf("%d %d %d\n", out[0], out[1], out[2]), 1;
  Operation read = nullptr;
  cudaMemcpyFromSymbol(&read, one, sizeof read);
  byValue<<<1, 1>>>(out, read);
  cudaDeviceSynchronize();
  if (out[0] != 7)
    return std::printf("by value: %d %s\n", out[0], cudaGetErrorName(cudaGetLastError())), 1;
  onHeap<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  if (out[31] != 93)
    return std::printf("heap: %d %s\n", out[31], cudaGetErrorName(cudaGetLastError())), 1;
  std::printf("functions are called\n");
}
