#pragma once

#include <array>
#include <cstdio>
#include <cstdlib>
#include <type_traits>

/// The faults that `mutation.py` puts into a copy of the sources, included before each of them. One build holds them
/// all; PITHBALL_MUTANT is the number of the one that is at work, and none is without it. A file named by
/// PITHBALL_MUTANTS_REACHED gets the numbers of those that a run came by.
namespace pithball::mutation {

constexpr int most_mutants = 1000;

struct Reached {
  std::array<bool, most_mutants> mutant{};

  ~Reached() {
    const char* name = std::getenv("PITHBALL_MUTANTS_REACHED");
    std::FILE* file = name ? std::fopen(name, "w") : nullptr;
    if (!file) return;
    for (int k = 0; k < most_mutants; ++k)
      if (mutant[k]) std::fprintf(file, "%d\n", k);
    std::fclose(file);
  }
};

inline Reached reached;

inline const int chosen = [] {
  const char* number = std::getenv("PITHBALL_MUTANT");
  return number ? std::atoi(number) : -1;
}();

/// Whether mutant k is at work. Never while the compiler computes a constant.
constexpr bool at_work(int k) {
  if (std::is_constant_evaluated()) return false;
  reached.mutant[k] = true;
  return chosen == k;
}

/// a + b becomes a + sign(k) * b.
constexpr int sign(int k) { return at_work(k) ? -1 : 1; }

/// a * b becomes a * factor(k) * b.
constexpr int factor(int k) { return at_work(k) ? 2 : 1; }

/// i < n becomes i + left_out(k) < n.
constexpr int left_out(int k) { return at_work(k) ? 1 : 0; }

}  // namespace pithball::mutation
