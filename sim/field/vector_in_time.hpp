#pragma once
#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "sim/core/settings.hpp"
#include "sim/field/expression_program.hpp"

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

class Settings;

/// A vector that is a function of time: three expressions in t [s], as in `AnalyticField`.
class VectorInTime {
 public:
  /// Throws InvalidArgument with the expression and what is available, if one cannot be parsed.
  explicit VectorInTime(const std::array<std::string, 3>& expressions);

  bool varies() const;         ///< whether an expression reads t
  Vec3 value(double t) const;  ///< at t [s], in the unit of the expressions

 private:
  std::array<ExpressionProgram, 3> programs_;
};

/// Reads {expression: ["…", "…", "…"]} in t with values in this unit at a key that is written as a mapping.
std::shared_ptr<const VectorInTime> ask_vector_in_time(Settings& settings, std::string_view key, std::string_view unit,
                                                       std::string_view meaning);

}  // namespace pithball::sim
