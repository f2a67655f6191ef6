#include "sim/core/counter_noise.hpp"

#include <cmath>

namespace pithball::sim {
namespace {

/// Mixes a word into a hash: applies the finalizer of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014) to their sum.
std::uint64_t absorb(std::uint64_t hash, std::uint64_t word) {
  std::uint64_t z = hash + 0x9e3779b97f4a7c15u * (word + 1);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// Maps the upper 53 bits to the midpoint of one of 2⁵³ equal parts of (0, 1).
double to_unit_interval(std::uint64_t hash) { return ((hash >> 11) + 0.5) * 0x1p-53; }

}  // namespace

CounterNoise::CounterNoise(std::uint64_t seed, std::uint64_t purpose) : key_(absorb(absorb(0, seed), purpose)) {}

double CounterNoise::uniform(std::uint64_t frame, std::uint64_t marker, std::uint64_t component) const {
  return to_unit_interval(absorb(absorb(absorb(key_, frame), marker), component));
}

double CounterNoise::normal(std::uint64_t frame, std::uint64_t marker, std::uint64_t component) const {
  constexpr double full_turn = 6.283185307179586;
  const double radius = std::sqrt(-2 * std::log(uniform(frame, marker, 2 * component)));
  return radius * std::cos(full_turn * uniform(frame, marker, 2 * component + 1));
}

}  // namespace pithball::sim
