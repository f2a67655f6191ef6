#pragma once
#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "sim/field/expression_program.hpp"

namespace pithball::sim {

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
