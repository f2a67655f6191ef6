#include "sim/force/spring_damper.hpp"

#include "sim/core/error.hpp"
#include "sim/force/spring_loops.hpp"
#include "sim/force/spring_slopes.hpp"
#include "sim/kernel/spring.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {

const ForceTraits& SpringDamper::traits() const {
  static const ForceTraits traits{.name = "dampers", .loss = LossKind::Dampers};
  return traits;
}

void SpringDamper::declare(const Topology& topology, Values& values) {
  block_ = declare_edge_values(topology, values, "damping", "N s/m", ValueScaling::Force, damping_);
  if (length_.size() > 0) rest_length_block_ = *values.find("rest_length");
  loops_ = SpringLoops(topology);
}

/// The damping c of each spring, and the values on which it depends.
struct SpringDamper::Numbers {
  const double* given;
  const double *length, *l0;  // null if c is as given
  Index rods;                 // number of lengths; for springs added by `Model::with_springs`, c is as given
  /// ∂c/∂damping.
  double share(Index e) const { return e < rods ? length[e] / l0[e] : 1; }
  double operator[](Index e) const { return given[e] * share(e); }
  /// Returns δc for changes of the given damping and, if c depends on it, of the rest length.
  double change(Index e, double dgiven, const double* dl0) const {
    return share(e) * dgiven - (e < rods ? (*this)[e] * dl0[e] / l0[e] : 0);
  }
};

SpringDamper::Numbers SpringDamper::numbers(const Model& model) const {
  const Values& values = model.values();
  if (length_.size() == 0) return {values[block_].data(), nullptr, nullptr, 0};
  return {values[block_].data(), length_.data(), values[rest_length_block_].data(), length_.size()};
}

void SpringDamper::validate(const Model& model, const State& s) const {
  const Numbers c = numbers(model);
  for_each_spring(model, [&](Index e, Index i, Index j) {
    if (c[e] > 0 && s.x.col(i) == s.x.col(j))
      throw InvalidArgument({"", "springs.edges[" + std::to_string(e) + "]",
                             "must have a direction, because it has a damper",
                             "particles " + std::to_string(i) + " and " + std::to_string(j) + " at the same point",
                             "move one of them, or give the spring damping: 0"});
  });
}

void SpringDamper::add_force(const Model& model, const State& s, Points& f) const {
  const Numbers c = numbers(model);
  loops_.add_pairs(model, f, [&](Index e, Index i, Index j) {
    return kernel::damper_force<double>(s.x.col(i) - s.x.col(j), s.v.col(i) - s.v.col(j), c[e]);
  });
}

void SpringDamper::add_jvp(const Model& model, const State& s, const Variation& d, Points& df) const {
  const Numbers c = numbers(model);
  const auto given = model.values().of(d.values, block_);
  const double* dl0 = c.length ? d.values.data() + model.values().block(rest_length_block_).offset : nullptr;
  loops_.add_pairs(model, df, [&](Index e, Index i, Index j) {
    const DamperSlopes by(s.x.col(i) - s.x.col(j), s.v.col(i) - s.v.col(j), c[e]);
    return by.change(d.x.col(i) - d.x.col(j), d.v.col(i) - d.v.col(j), c.change(e, given[e], dl0));
  });
}

void SpringDamper::add_jvps(const Model& model, const State& s, const Directions& d, Panel& df) const {
  const Numbers c = numbers(model);
  const Index first = model.values().block(block_).offset,
              first_l0 = c.length ? model.values().block(rest_length_block_).offset : 0;
  loops_.for_each(model, [&](Index e, Index i, Index j) {
    const DamperSlopes by(s.x.col(i) - s.x.col(j), s.v.col(i) - s.v.col(j), c[e]);
    AxialChange change = by.between(i, j);
    change.by_value[0] = -by.along * c.share(e);
    change.value[0] = first + e;
    if (e < c.rods) {
      change.by_value[1] = by.along * c[e] / c.l0[e];
      change.value[1] = first_l0 + e;
    }
    add_change(change, d, df);
  });
}

void SpringDamper::add_vjp(const Model& model, const State& s, const Points& w, Variation& g) const {
  const Numbers c = numbers(model);
  auto gc = model.values().of(g.values, block_);
  double* gl0 = c.length ? g.values.data() + model.values().block(rest_length_block_).offset : nullptr;
  loops_.add_pairs(model, g.v, [&](Index e, Index i, Index j) {  // b̂ b̂ᵀ is symmetric
    return kernel::damper_force<double>(s.x.col(i) - s.x.col(j), w.col(i) - w.col(j), c[e]);
  });
  loops_.add_pairs(model, g.x, [&](Index e, Index i, Index j) -> Vec3 {
    const Vec3 b = s.x.col(i) - s.x.col(j), rate = s.v.col(i) - s.v.col(j), u = w.col(i) - w.col(j);
    const double of_damping = kernel::damper_force<double>(b, rate, 1.0).dot(u);
    gc[e] += c.share(e) * of_damping;
    if (e < c.rods) gl0[e] -= c[e] / c.l0[e] * of_damping;
    return -c[e] * kernel::damper_direction_derivative(b, rate).transpose() * u;
  });
}

double SpringDamper::dissipation(const Model& model, const State& s) const {
  const Numbers c = numbers(model);
  return SpringLoops::sum(model, [&](Index e, Index i, Index j) {
    const Vec3 b = s.x.col(i) - s.x.col(j), w = s.v.col(i) - s.v.col(j);
    return -kernel::damper_force<double>(b, w, c[e]).dot(w) / 2;
  });
}

void SpringDamper::add_velocity_blocks(const Model& model, const State& s, double scale, BlockMatrix& J) const {
  const Numbers c = numbers(model);
  const auto block = [&](Index e, Index i, Index j) {
    const Vec3 b = s.x.col(i) - s.x.col(j);
    const double l2 = b.squaredNorm();
    return AxialBlock{0, l2 > 0 ? -scale * c[e] / l2 : 0, b};
  };
  add_spring_blocks(loops_, model, block, J);
}

void SpringDamper::add_damping_majorizer(const Model& model, double scale, Majorizer& L) const {
  const Numbers c = numbers(model);
  for_each_spring(model, [&](Index e, Index i, Index j) { L.edge(i, j, scale * c[e]); });
}

}  // namespace pithball::sim
