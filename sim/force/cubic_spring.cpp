#include "sim/force/cubic_spring.hpp"

#include "sim/force/edge_values.hpp"
#include "sim/force/spring_blocks.hpp"
#include "sim/force/spring_slopes.hpp"
#include "sim/kernel/spring.hpp"

namespace pithball::sim {

const ForceTraits& CubicSpring::traits() const {
  static const ForceTraits traits{.name = "cubic_springs", .energy = EnergyKind::Elastic, .partners = Partners::Listed};
  return traits;
}

void CubicSpring::declare(const Topology& topology, Values& values) {
  const auto rest_length = values.find("rest_length");
  if (!rest_length)
    throw InvalidArgument({"", "springs.cubic_stiffness", "must belong to springs, whose rest lengths it takes",
                           "a model without springs", "list it after the springs"});
  rest_length_block_ = *rest_length;
  block_ = declare_edge_values(topology, values, "cubic_stiffness", "N/m3", ValueScaling::Stiffness, cubic_stiffness_);
  loops_ = SpringLoops(topology);
}

/// k₃ and l0 of the springs, by number.
struct CubicSpring::Numbers {
  const double *k3, *l0;
};

CubicSpring::Numbers CubicSpring::numbers(const Model& model) const {
  return {model.values()[block_].data(), model.values()[rest_length_block_].data()};
}

void CubicSpring::add_force(const Model& model, const State& s, Points& f) const {
  const Numbers of = numbers(model);
  loops_.add_pairs(model, f, [&](Index e, Index i, Index j) {
    return kernel::cubic_spring_force<double>(s.x.col(i) - s.x.col(j), of.k3[e], of.l0[e]);
  });
}

std::optional<double> CubicSpring::energy(const Model& model, const State& s) const {
  const Numbers of = numbers(model);
  return SpringLoops::sum(model, [&](Index e, Index i, Index j) {
    return kernel::cubic_spring_energy<double>(s.x.col(i) - s.x.col(j), of.k3[e], of.l0[e]);
  });
}

namespace {
/// With s = k₃: ∂f/∂k₃ = −d³ b̂, ∂f/∂l0 = 3 k₃ d² b̂.
SpringSlopes slopes_of_cubic_spring(const Vec3& b, double k3, double l0) {
  const kernel::CubicSpringHessian K(b, k3, l0, false);
  const double l = b.norm(), per_length = l > 0 ? 1 / l : 0, d = l - l0, squared = d * d * per_length;
  return {b, K.across, K.along, -d * squared, 3 * k3 * squared};
}
}  // namespace

void CubicSpring::add_jvp(const Model& model, const State& s, const Variation& d, Points& df) const {
  const Numbers of = numbers(model);
  const auto dk3 = model.values().of(d.values, block_), dl0 = model.values().of(d.values, rest_length_block_);
  loops_.add_pairs(model, df, [&](Index e, Index i, Index j) {
    return slopes_of_cubic_spring(s.x.col(i) - s.x.col(j), of.k3[e], of.l0[e])
        .change(d.x.col(i) - d.x.col(j), dk3[e], dl0[e]);
  });
}

void CubicSpring::add_vjp(const Model& model, const State& s, const Points& w, Variation& g) const {
  const Numbers of = numbers(model);
  auto gk3 = model.values().of(g.values, block_), gl0 = model.values().of(g.values, rest_length_block_);
  loops_.add_pairs(model, g.x, [&](Index e, Index i, Index j) {
    const SpringSlopes by = slopes_of_cubic_spring(s.x.col(i) - s.x.col(j), of.k3[e], of.l0[e]);
    const Vec3 u = w.col(i) - w.col(j);
    const double part = by.b.dot(u);
    gk3[e] += by.by_strength * part;
    gl0[e] += by.by_rest_length * part;
    return by.gradient(u, part);
  });
}

void CubicSpring::add_position_blocks(const Model& model, const State& s, double scale, bool definite,
                                      BlockMatrix& J) const {
  const Numbers of = numbers(model);
  const auto block = [&](Index e, Index i, Index j) {
    const Vec3 b = s.x.col(i) - s.x.col(j);
    const kernel::CubicSpringHessian K(b, of.k3[e], of.l0[e], definite);
    return AxialBlock{-scale * K.across, -scale * K.along, b};
  };
  add_spring_blocks(loops_, model, block, J);
}

void CubicSpring::add_negative_curvature_bound(const Model& model, const State& s, Vector& bound) const {
  // As that of linear springs: a compressed one lowers the form by at most |across| |w_i − w_j|².
  const Numbers of = numbers(model);
  loops_.for_each(model, [&](Index e, Index i, Index j) {
    const double across = kernel::CubicSpringHessian(s.x.col(i) - s.x.col(j), of.k3[e], of.l0[e], false).across;
    if (across >= 0) return;
    bound[i] -= 2 * across;
    bound[j] -= 2 * across;
  });
}

}  // namespace pithball::sim
