// JAX's random bits: the Threefry-2x32 hash with 20 rounds (Salmon, Moraes, Dror, Shaw, "Parallel Random Numbers: As
// Easy as 1, 2, 3", SC11), and how jax.random makes keys, splits and bits of it with jax_threefry_partitionable.
//
//   threefry({0, 0}, {0, 0})   {0x6b200159, 0x99ba4efe}
#pragma once

#include <array>
#include <cstdint>

namespace lanescope::repl {

using ThreefryPair = std::array<uint32_t, 2>;

ThreefryPair threefry(const ThreefryPair &key, ThreefryPair counter);

/// Number `index` of a key's stream of 32 bits; key number `index` of its split.
inline uint32_t threefryBits(const ThreefryPair &key, uint64_t index) {
  auto [a, b] = threefry(key, {static_cast<uint32_t>(index >> 32), static_cast<uint32_t>(index)});
  return a ^ b;
}
inline ThreefryPair threefrySplit(const ThreefryPair &key, uint64_t index) {
  return threefry(key, {static_cast<uint32_t>(index >> 32), static_cast<uint32_t>(index)});
}

/// The inverse of the error function in f32, as XLA computes it (Giles, "Approximating the erfinv function").
float inverseErf(float x);

} // namespace lanescope::repl
