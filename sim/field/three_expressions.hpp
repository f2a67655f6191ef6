#pragma once
#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "sim/core/settings.hpp"

namespace pithball::sim {

/// Reads the key `expression`, three expressions with values in this unit, into a `Vectors` made of them.
template <class Vectors>
std::shared_ptr<const Vectors> ask_three_expressions(Settings& settings, std::string_view unit,
                                                     std::string_view meaning) {
  const auto texts = settings.texts("expression", unit, meaning);
  if (texts.size() != 3)
    settings.reject("expression", "must be three expressions, one for each component", std::to_string(texts.size()),
                    "write [\"…\", \"…\", \"…\"]");
  return settings.located("expression", [&] {
    return std::make_shared<const Vectors>(std::array<std::string, 3>{texts[0], texts[1], texts[2]});
  });
}

}  // namespace pithball::sim
