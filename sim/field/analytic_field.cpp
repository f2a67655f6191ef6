#include "sim/field/analytic_field.hpp"

#include "sim/field/expression_grammar.hpp"

namespace pithball::sim {

AnalyticField::AnalyticField(std::array<std::string, 3> expressions) : expressions_(std::move(expressions)) {
  for (std::size_t a = 0; a < 3; ++a) programs_[a] = compile_expression(expressions_[a]);
}

void AnalyticField::add_course(double, double, TimeCourse& course) const {
  for (const ExpressionProgram& program : programs_) course.varies = course.varies || program.reads_variable(3);
}

void AnalyticField::compute_values(const double* points, Index count, double t, double* values) const {
  const auto variables = space_and_time(points, &t);
  for (std::size_t a = 0; a < 3; ++a)
    programs_[a].evaluate<double>(variables, count,
                                  [&](Index i, double u) { values[3 * i + static_cast<Index>(a)] = u; });
}

void AnalyticField::compute_jacobians(const double* points, Index count, double t, Mat3* jacobians) const {
  const auto variables = space_and_time(points, &t);
  for (std::size_t a = 0; a < 3; ++a)
    programs_[a].evaluate<Jet<3, 1>>(variables, count, [&](Index i, const Jet<3, 1>& u) {
      for (std::size_t b = 0; b < 3; ++b) jacobians[i](a, b) = u.first(b);
    });
}

Vec3 AnalyticField::value(const Vec3& x, double t) const {
  Vec3 u;
  compute_values(x.data(), 1, t, u.data());
  return u;
}

Mat3 AnalyticField::jacobian(const Vec3& x, double t) const {
  Mat3 J;
  compute_jacobians(x.data(), 1, t, &J);
  return J;
}

}  // namespace pithball::sim
