#include "sim/force/spring_force.hpp"

#include "sim/core/error.hpp"
#include "sim/force/spring_loops.hpp"
#include "sim/force/spring_slopes.hpp"
#include "sim/kernel/spring.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {

const ForceTraits& SpringForce::traits() const {
  static const ForceTraits traits{.name = "springs", .energy = EnergyKind::Elastic, .partners = Partners::Listed};
  return traits;
}

void SpringForce::declare(const Topology& topology, Values& values) {
  const bool by_strain = form_ == Form::Strain;
  stiffness_block_ = declare_edge_values(topology, values, by_strain ? "axial_stiffness" : "stiffness",
                                         by_strain ? "N" : "N/m", ValueScaling::Stiffness, stiffness_);
  rest_length_block_ = declare_edge_values(topology, values, "rest_length", "m", ValueScaling::Invariant, rest_length_);
  loops_ = SpringLoops(topology);
}

/// k and l0 of each spring.
struct SpringForce::Numbers {
  const double *given, *l0;
  bool by_strain;
  double k(Index e) const { return by_strain ? given[e] / l0[e] : given[e]; }
};

SpringForce::Numbers SpringForce::numbers(const Model& model) const {
  const Values& values = model.values();
  return {values[stiffness_block_].data(), values[rest_length_block_].data(), form_ == Form::Strain};
}

Vector SpringForce::stiffness(const Model& model) const {
  const auto given = model.values()[stiffness_block_];
  return form_ == Form::Strain ? Vector(given.cwiseQuotient(model.values()[rest_length_block_])) : Vector(given);
}

Vector SpringForce::rest_length(const Model& model) const { return model.values()[rest_length_block_]; }

void SpringForce::validate(const Model& model, const State& s) const {
  const auto l0 = model.values()[rest_length_block_];
  for_each_spring(model, [&](Index e, Index i, Index j) {
    if (form_ == Form::Strain && !(l0[e] > 0))
      throw InvalidArgument({"", "springs.rest_length[" + std::to_string(e) + "]",
                             "must be > 0 m for axial_stiffness, where k = Y/l0", "0", "give `stiffness` instead"});
    if (l0[e] > 0 && s.x.col(i) == s.x.col(j))
      throw InvalidArgument({"", "springs.edges[" + std::to_string(e) + "]",
                             "must join particles at different positions",
                             "particles " + std::to_string(i) + " and " + std::to_string(j) + " at the same point",
                             "move one of them, or give the spring rest_length: 0"});
  });
}

void SpringForce::add_force(const Model& model, const State& s, Points& f) const {
  const Numbers of = numbers(model);
  loops_.add_pairs(model, f, [&](Index e, Index i, Index j) {
    return kernel::spring_force<double>(s.x.col(i) - s.x.col(j), of.k(e), of.l0[e]);
  });
}

std::optional<double> SpringForce::energy(const Model& model, const State& s) const {
  const Numbers of = numbers(model);
  return SpringLoops::sum(model, [&](Index e, Index i, Index j) {
    return kernel::spring_energy<double>(s.x.col(i) - s.x.col(j), of.k(e), of.l0[e]);
  });
}

namespace {
/// Returns the slopes for the strength s = k.
SpringSlopes slopes_of_spring(const Vec3& b, double k, double l0) {
  const kernel::SpringHessian K(b, k, l0, false);
  const double l = b.norm(), per_length = l > 0 ? 1 / l : 0;
  return {b, K.across, K.along, l0 * per_length - 1, k * per_length};
}
}  // namespace

void SpringForce::add_jvp(const Model& model, const State& s, const Variation& d, Points& df) const {
  const Numbers of = numbers(model);
  const auto given = model.values().of(d.values, stiffness_block_),
             dl0 = model.values().of(d.values, rest_length_block_);
  loops_.add_pairs(model, df, [&](Index e, Index i, Index j) {
    const double k = of.k(e), l0 = of.l0[e];
    const double dk = of.by_strain ? (given[e] - k * dl0[e]) / l0 : given[e];  // δ(Y/l0)
    return slopes_of_spring(s.x.col(i) - s.x.col(j), k, l0).change(d.x.col(i) - d.x.col(j), dk, dl0[e]);
  });
}

void SpringForce::add_jvps(const Model& model, const State& s, const Directions& d, Panel& df) const {
  const Numbers of = numbers(model);
  const Index first_k = model.values().block(stiffness_block_).offset,
              first_l0 = model.values().block(rest_length_block_).offset;
  loops_.for_each(model, [&](Index e, Index i, Index j) {
    const double k = of.k(e), l0 = of.l0[e];
    SpringSlopes by = slopes_of_spring(s.x.col(i) - s.x.col(j), k, l0);
    if (of.by_strain) {  // by Y and l0 in place of k = Y/l0 and l0
      by.by_rest_length -= by.by_strength * k / l0;
      by.by_strength /= l0;
    }
    add_change(by.between(i, j, first_k + e, first_l0 + e), d, df);
  });
}

void SpringForce::add_vjp(const Model& model, const State& s, const Points& w, Variation& g) const {
  const Numbers of = numbers(model);
  auto gk = model.values().of(g.values, stiffness_block_), gl0 = model.values().of(g.values, rest_length_block_);
  loops_.add_pairs(model, g.x, [&](Index e, Index i, Index j) {
    const double k = of.k(e), l0 = of.l0[e];
    const SpringSlopes by = slopes_of_spring(s.x.col(i) - s.x.col(j), k, l0);
    const Vec3 u = w.col(i) - w.col(j);
    const double part = by.b.dot(u), of_stiffness = by.by_strength * part;
    gk[e] += of.by_strain ? of_stiffness / l0 : of_stiffness;
    gl0[e] += by.by_rest_length * part - (of.by_strain ? of_stiffness * k / l0 : 0);
    return by.gradient(u, part);
  });
}

void SpringForce::add_position_blocks(const Model& model, const State& s, double scale, bool definite,
                                      BlockMatrix& J) const {
  const Numbers of = numbers(model);
  const auto block = [&](Index e, Index i, Index j) {
    const Vec3 b = s.x.col(i) - s.x.col(j);
    const kernel::SpringHessian K(b, of.k(e), of.l0[e], definite);
    return AxialBlock{-scale * K.across, -scale * K.along, b};
  };
  add_spring_blocks(loops_, model, block, J);
}

void SpringForce::add_stiffness_majorizer(const Model& model, double scale, Majorizer& L) const {
  const Vector k = stiffness(model);
  for_each_spring(model, [&](Index e, Index i, Index j) { L.edge(i, j, scale * k[e]); });
}

void SpringForce::add_negative_curvature_bound(const Model& model, const State& s, Vector& bound) const {
  // A compressed spring lowers the form by at most k (l0/l − 1) |w_i − w_j|² <= 2 k (l0/l − 1) (|w_i|² + |w_j|²).
  const Numbers of = numbers(model);
  loops_.for_each(model, [&](Index e, Index i, Index j) {
    if (of.l0[e] == 0) return;
    const double compression = of.l0[e] / (s.x.col(i) - s.x.col(j)).norm() - 1;
    if (!(compression <= 0)) {
      bound[i] += 2 * of.k(e) * compression;
      bound[j] += 2 * of.k(e) * compression;
    }
  });
}

const SpringForce* find_springs(const Model& model) {
  for (const auto& term : model.given_terms())
    if (const auto* springs = dynamic_cast<const SpringForce*>(term.get())) return springs;
  return nullptr;
}

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

/// k₃ and l0 of each spring.
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
/// Returns the slopes for the strength s = k₃: ∂f/∂k₃ = −d³ b̂, ∂f/∂l0 = 3 k₃ d² b̂.
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
  // As for linear springs: a compressed one lowers the form by at most |across| |w_i − w_j|².
  const Numbers of = numbers(model);
  loops_.for_each(model, [&](Index e, Index i, Index j) {
    const double across = kernel::CubicSpringHessian(s.x.col(i) - s.x.col(j), of.k3[e], of.l0[e], false).across;
    if (across >= 0) return;
    bound[i] -= 2 * across;
    bound[j] -= 2 * across;
  });
}

}  // namespace pithball::sim
