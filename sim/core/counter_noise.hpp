#pragma once
#include <cstdint>

namespace pithball::sim {

/// Counter-based random numbers, independent of the order of calls: equal (seed, purpose, frame, marker, component)
/// give equal numbers on every machine.
class CounterNoise {
 public:
  /// `purpose` separates streams with the same seed.
  CounterNoise(std::uint64_t seed, std::uint64_t purpose);
  /// Uniform in (0, 1).
  double uniform(std::uint64_t frame, std::uint64_t marker, std::uint64_t component = 0) const;
  /// Normal with mean 0 and variance 1 (Box and Muller, Ann. Math. Stat. 29, 1958).
  double normal(std::uint64_t frame, std::uint64_t marker, std::uint64_t component) const;

 private:
  std::uint64_t key_;
};

}  // namespace pithball::sim
