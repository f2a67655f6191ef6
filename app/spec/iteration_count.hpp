#pragma once
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "app/yaml/node.hpp"

namespace pithball::app {

/// The most iterations that a key may ask of a solver; a number that an `int` does not hold would be another one.
inline constexpr Index most_iterations = 1'000'000;

/// Reads how many iterations a solver may make. Throws InvalidArgument for less than `least` and more than
/// `most_iterations`.
inline int read_iteration_count(Node& node, std::string_view key, std::string_view meaning, Index fallback,
                                Index least = 1) {
  const Index count = node.integer(key, meaning, fallback, least);
  if (count > most_iterations)
    node.reject(key, fmt::format("must be at most {}", most_iterations), fmt::format("{}", count),
                fmt::format("omit it for {}", fallback));
  return static_cast<int>(count);
}

}  // namespace pithball::app
