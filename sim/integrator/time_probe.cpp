#include "sim/integrator/time_probe.hpp"

#include <array>

#include "sim/integrator/impulses.hpp"

namespace pithball::sim {
namespace {

struct Node {
  double place, weight;  // on −1 … 1
};
constexpr std::array<Node, 8> gauss_legendre{{{-0.9602898564975363, 0.1012285362903763},
                                              {-0.7966664774136267, 0.2223810344533745},
                                              {-0.5255324099163290, 0.3137066458778873},
                                              {-0.1834346424956498, 0.3626837833783620},
                                              {0.1834346424956498, 0.3626837833783620},
                                              {0.5255324099163290, 0.3137066458778873},
                                              {0.7966664774136267, 0.2223810344533745},
                                              {0.9602898564975363, 0.1012285362903763}}};

}  // namespace

TimeProbe::TimeProbe(const Model& model, double from, const TimeStep& step)
    : model_(model), largest_(Vector::Zero(model.particles())), impulse_(largest_) {
  const auto varies = [&](const auto& function) {
    TimeCourse course;
    function.add_course(from, step.end, course);
    return course.varies;
  };
  for (const auto& term : model.terms())
    if (varies(*term)) terms_.push_back(term);
  varies_ = !terms_.empty() || (model.is_tracers() && varies(*model.topology().flow));
}

Points TimeProbe::sample(const State& before, const State& after, double way) {
  State at{before.t + way * (after.t - before.t), on_the_way(before, after, way), (1 - way) * before.v + way * after.v};
  model_.place_held(at.t, at.x, &at.v);
  Points a = Points::Zero(3, model_.particles());
  if (model_.is_tracers()) {
    a = model_.topology().flow->values(at.x, at.t);
  } else {
    for (const auto& term : terms_) term->add_force(model_, at, a);
    model_.clear_held(a);
    a *= model_.mass().cwiseInverse().asDiagonal();
  }
  const Vector size = a.colwise().norm();
  largest_ = largest_.cwiseMax(size);
  if (size.maxCoeff() > most_) {
    most_ = size.maxCoeff();
    strongest_ = at.t;
  }
  return a;
}

Vector TimeProbe::missed(const State& before, const State& after, const TimeQuadrature& scheme) {
  most_ = 0;
  const double tau = after.t - before.t;
  Points difference = Points::Zero(3, model_.particles());
  Vector size = Vector::Zero(model_.particles());
  for (const Node& node : gauss_legendre) {
    const Points a = sample(before, after, (1 + node.place) / 2);
    difference += node.weight / 2 * a;
    size += node.weight / 2 * a.colwise().norm().transpose();
  }
  impulse_ = impulse_.cwiseMax(tau * size);
  for (std::size_t k = 0; k < scheme.nodes.size(); ++k)
    if (scheme.weights[k] != 0) difference -= scheme.weights[k] * sample(before, after, scheme.nodes[k]);
  return tau * difference.colwise().norm();
}

}  // namespace pithball::sim
