#include "sim/force/spring_damper.hpp"

#include "sim/core/error.hpp"
#include "sim/force/edge_values.hpp"
#include "sim/force/spring_blocks.hpp"
#include "sim/kernel/spring.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {

const ForceTraits& SpringDamper::traits() const {
  static const ForceTraits traits{.name = "dampers", .loss = LossKind::Dampers};
  return traits;
}

void SpringDamper::declare(const Topology& topology, Values& values) {
  block_ = declare_edge_values(topology, values, "damping", "N s/m", ValueScaling::Force, damping_);
  loops_ = SpringLoops(topology);
}

void SpringDamper::validate(const Model& model, const State& s) const {
  const auto c = model.values()[block_];
  for_each_spring(model, [&](Index e, Index i, Index j) {
    if (c[e] > 0 && s.x.col(i) == s.x.col(j))
      throw InvalidArgument({"", "springs.edges[" + std::to_string(e) + "]",
                             "must have a direction, because it has a damper",
                             "particles " + std::to_string(i) + " and " + std::to_string(j) + " at the same point",
                             "move one of them, or give the spring damping: 0"});
  });
}

void SpringDamper::add_force(const Model& model, const State& s, Points& f) const {
  const auto c = model.values()[block_];
  loops_.add_pairs(model, f, [&](Index e, Index i, Index j) {
    return kernel::damper_force<double>(s.x.col(i) - s.x.col(j), s.v.col(i) - s.v.col(j), c[e]);
  });
}

void SpringDamper::add_jvp(const Model& model, const State& s, const Variation& d, Points& df) const {
  const auto c = model.values()[block_];
  const auto dc = model.values().of(d.values, block_);
  loops_.add_pairs(model, df, [&](Index e, Index i, Index j) -> Vec3 {
    const Vec3 b = s.x.col(i) - s.x.col(j), w = s.v.col(i) - s.v.col(j);
    return kernel::damper_force<double>(b, d.v.col(i) - d.v.col(j), c[e]) + kernel::damper_force<double>(b, w, dc[e]) -
           c[e] * kernel::damper_direction_derivative(b, w) * (d.x.col(i) - d.x.col(j));
  });
}

void SpringDamper::add_vjp(const Model& model, const State& s, const Points& w, Variation& g) const {
  const auto c = model.values()[block_];
  auto gc = model.values().of(g.values, block_);
  loops_.add_pairs(model, g.v, [&](Index e, Index i, Index j) {  // b̂ b̂ᵀ is symmetric
    return kernel::damper_force<double>(s.x.col(i) - s.x.col(j), w.col(i) - w.col(j), c[e]);
  });
  loops_.add_pairs(model, g.x, [&](Index e, Index i, Index j) -> Vec3 {
    const Vec3 b = s.x.col(i) - s.x.col(j), rate = s.v.col(i) - s.v.col(j), u = w.col(i) - w.col(j);
    gc[e] += kernel::damper_force<double>(b, rate, 1.0).dot(u);
    return -c[e] * kernel::damper_direction_derivative(b, rate).transpose() * u;
  });
}

double SpringDamper::dissipation(const Model& model, const State& s) const {
  const auto c = model.values()[block_];
  return SpringLoops::sum(model, [&](Index e, Index i, Index j) {
    const Vec3 b = s.x.col(i) - s.x.col(j), w = s.v.col(i) - s.v.col(j);
    return -kernel::damper_force<double>(b, w, c[e]).dot(w) / 2;
  });
}

void SpringDamper::add_velocity_blocks(const Model& model, const State& s, double scale, BlockMatrix& J) const {
  const auto c = model.values()[block_];
  const auto block = [&](Index e, Index i, Index j) {
    const Vec3 b = s.x.col(i) - s.x.col(j);
    const double l2 = b.squaredNorm();
    return AxialBlock{0, l2 > 0 ? -scale * c[e] / l2 : 0, b};
  };
  add_spring_blocks(loops_, model, block, J);
}

void SpringDamper::add_damping_majorizer(const Model& model, double scale, Majorizer& L) const {
  const auto c = model.values()[block_];
  for_each_spring(model, [&](Index e, Index i, Index j) { L.edge(i, j, scale * c[e]); });
}

}  // namespace pithball::sim
