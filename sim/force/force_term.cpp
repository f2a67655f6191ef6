#include "sim/force/force_term.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/model/model.hpp"

namespace pithball::sim {
namespace {

/// Returns the unit vector along each column; 0 for a zero column.
Points directions(const Points& motion) {
  Points d = motion;
  for (Index i = 0; i < d.cols(); ++i) d.col(i).stableNormalize();
  return d;
}

/// Returns the largest |f_i|/m_i of the particles that are not held.
double largest_per_mass(const Model& model, Points f) {
  model.clear_held(f);
  return f.cols() > 0 ? (f.colwise().norm().transpose().array() / model.mass().array()).maxCoeff() : 0;
}

}  // namespace

void ForceTerm::add_jvps(const Model& model, const State& s, const Directions& d, Panel& df) const {
  for (Index p = 0; p < d.count(); ++p) {
    Points change = Points::Zero(3, d.x.cols() / 3);
    add_jvp(model, s, d.alone(p), change);
    add_points(df, p, change);
  }
}

double ForceTerm::shortest_time(const Model& model, const State& s, const Points& a) const {
  double rate = 0;  // [1/s]
  if (traits().differentiable)
    for (const Points* motion : {&s.v, &a}) {
      const Points d = directions(*motion);
      const auto change = [&](Points Variation::*moved) {
        Variation variation = Variation::zero(d.cols(), model.values().size());
        variation.*moved = d;
        Points df = Points::Zero(3, d.cols());
        add_jvp(model, s, variation, df);
        return largest_per_mass(model, std::move(df));
      };
      rate = std::max(rate, std::sqrt(change(&Variation::x)));
      if (is_velocity_dependent(*this)) rate = std::max(rate, change(&Variation::v));
    }
  return rate > 0 ? 1 / rate : std::numeric_limits<double>::infinity();
}

void add_steady_impulse(const ForceTerm& term, const Model& model, const State& s, double h, Points& J) {
  Points force = Points::Zero(3, J.cols());
  term.add_force(model, s, force);
  J += h * force;
}

}  // namespace pithball::sim
