#include "sim/field/vector_in_time.hpp"

#include <algorithm>

#include "sim/core/settings.hpp"
#include "sim/field/expression_program.hpp"

namespace pithball::sim {

VectorInTime::VectorInTime(const std::array<std::string, 3>& expressions) {
  for (std::size_t a = 0; a < 3; ++a) programs_[a] = compile_expression(expressions[a], {"t"});
}

bool VectorInTime::varies() const {
  return std::ranges::any_of(programs_, [](const ExpressionProgram& program) { return program.reads_variable(0); });
}

Vec3 VectorInTime::value(double t) const {
  const std::array<ExpressionVariable, 1> time{{{&t, 0}}};
  Vec3 value;
  double* component = value.data();
  for (const ExpressionProgram& program : programs_)
    program.evaluate<double>(time, 1, [&](Index, double u) { *component++ = u; });
  return value;
}

std::shared_ptr<const VectorInTime> ask_vector_in_time(Settings& settings, std::string_view key, std::string_view unit,
                                                       std::string_view meaning) {
  const std::unique_ptr<Settings> below = settings.below(key);
  return ask_three_expressions<VectorInTime>(*below, unit, meaning);
}

}  // namespace pithball::sim
