#include "sim/field/analytic_field.hpp"

#include "sim/core/settings.hpp"
#include "sim/field/expression_program.hpp"

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

AnalyticPotential::AnalyticPotential(std::string expression)
    : expression_(std::move(expression)), program_(compile_expression(expression_)) {}

void AnalyticPotential::compute_potentials(const double* points, Index count, double t, double* potentials) const {
  program_.evaluate<double>(space_and_time(points, &t), count, [&](Index i, double phi) { potentials[i] = phi; });
}

void AnalyticPotential::compute_values(const double* points, Index count, double t, double* values) const {
  program_.evaluate<Jet<3, 1>>(space_and_time(points, &t), count, [&](Index i, const Jet<3, 1>& phi) {
    for (std::size_t a = 0; a < 3; ++a) values[3 * i + static_cast<Index>(a)] = -phi.first(a);
  });
}

void AnalyticPotential::compute_jacobians(const double* points, Index count, double t, Mat3* jacobians) const {
  program_.evaluate<Jet<3, 2>>(space_and_time(points, &t), count, [&](Index i, const Jet<3, 2>& phi) {
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < 3; ++b) jacobians[i](a, b) = -phi.second(a, b);
  });
}

double AnalyticPotential::potential(const Vec3& x, double t) const {
  double phi;
  compute_potentials(x.data(), 1, t, &phi);
  return phi;
}

Vec3 AnalyticPotential::value(const Vec3& x, double t) const {
  Vec3 u;
  compute_values(x.data(), 1, t, u.data());
  return u;
}

Mat3 AnalyticPotential::jacobian(const Vec3& x, double t) const {
  Mat3 J;
  compute_jacobians(x.data(), 1, t, &J);
  return J;
}

namespace {

std::array<ExpressionVariable, 1> one_variable(std::span<const double> r) { return {{{r.data(), 1}}}; }

}  // namespace

std::shared_ptr<const RadialExpression> ask_radial(Settings& settings, std::string_view key, std::string_view unit,
                                                   std::string_view meaning) {
  if (settings.describing()) {
    settings.document(key, "expression in r [" + std::string(unit) + "]", "required", meaning);
    return std::make_shared<RadialExpression>("r");
  }
  const std::string expression = settings.text(key, unit, meaning);
  return settings.located(key, [&] { return std::make_shared<RadialExpression>(expression); });
}

RadialExpression::RadialExpression(std::string expression)
    : expression_(std::move(expression)), program_(compile_expression(expression_, {"r"})) {}

void RadialExpression::compute_values(std::span<const double> r, std::span<double> out) const {
  program_.evaluate<double>(one_variable(r), std::ssize(r), [&](Index k, double U) { out[k] = U; });
}

void RadialExpression::compute_slopes(std::span<const double> r, std::span<double> out) const {
  program_.evaluate<sim::Jet<1, 1>>(one_variable(r), std::ssize(r),
                                    [&](Index k, const sim::Jet<1, 1>& U) { out[k] = U.first(0); });
}

void RadialExpression::compute_jets(std::span<const double> r, std::span<Jet> out) const {
  program_.evaluate<sim::Jet<1, 2>>(one_variable(r), std::ssize(r), [&](Index k, const sim::Jet<1, 2>& U) {
    out[k] = {U.value(), U.first(0), U.second(0, 0)};
  });
}

double RadialExpression::value(double r) const {
  double value;
  compute_values({&r, 1}, {&value, 1});
  return value;
}

double RadialExpression::slope(double r) const {
  double slope;
  compute_slopes({&r, 1}, {&slope, 1});
  return slope;
}

RadialExpression::Jet RadialExpression::jet(double r) const {
  Jet jet;
  compute_jets({&r, 1}, {&jet, 1});
  return jet;
}

}  // namespace pithball::sim
