#include "sim/field/analytic_potential.hpp"

#include "sim/field/expression_grammar.hpp"

namespace pithball::sim {

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

}  // namespace pithball::sim
