#include "sim/integrator/substeps.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "sim/integrator/impulses.hpp"

namespace pithball::sim {
namespace {

/// Computed times that should be equal differ by less than this many rounding errors.
constexpr double roundings = 16;

}  // namespace

TimeCourse course_of(const Model& model, double from, double to) {
  TimeCourse course;
  for (const auto& term : model.terms()) term->add_course(from, to, course);
  if (model.is_tracers()) model.topology().flow->add_course(from, to, course);
  for (const Held& held : model.topology().held)
    if (held.path) held.path->add_course(from, to, course);
  for (const KeyFrames& frames : model.key_frames()) {
    const auto first = std::lower_bound(frames.times.begin(), frames.times.end(), from),
               last = std::upper_bound(first, frames.times.end(), to);
    for (auto t = first; t != last; ++t) course.switches.push_back({*t, Switch::Kind::Bend});
  }
  return course;
}

std::vector<TimeStep> make_step_parts(const Model& model, double from, const TimeStep& step, bool knots) {
  const double near = roundings * std::numeric_limits<double>::epsilon() * std::max(std::abs(from), std::abs(step.end));
  std::vector<double> ends;
  for (const Switch& at : course_of(model, from, step.end + near).switches) {
    if (at.kind == Switch::Kind::Jump) {
      if (from < at.t - near && at.t - near < step.end) ends.push_back(at.t - near);
      if (from < at.t && at.t < step.end - near / 2) ends.push_back(at.t);
    } else if (knots || at.kind == Switch::Kind::Bend) {
      if (from + near < at.t && at.t < step.end - near) ends.push_back(at.t);
    }
  }
  if (ends.empty() || !(near < step.h)) return {};
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  std::vector<TimeStep> parts;
  double begin = from;
  for (const double end : ends) {
    parts.push_back({end - begin, end});
    begin = end;
  }
  parts.push_back({step.end - begin, step.end});
  return parts;
}

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

namespace {

double shortest_time_of_flow(const VectorField& u, const State& s) {
  double rate = 0;
  for (Index i = 0; i < s.x.cols(); ++i)
    rate = std::max(rate, (u.jacobian(s.x.col(i), s.t) * s.v.col(i).stableNormalized()).norm());
  return 1 / rate;
}

}  // namespace

double shortest_time(const Model& model, const State& s, const Points& a,
                     const std::function<bool(const ForceTerm&)>& select) {
  if (!s.x.allFinite() || !s.v.allFinite() || !a.allFinite()) return std::numeric_limits<double>::quiet_NaN();
  if (model.is_tracers()) return shortest_time_of_flow(*model.topology().flow, s);
  double shortest = std::numeric_limits<double>::infinity();
  for (const auto& term : model.terms())
    if (select(*term)) shortest = std::min(shortest, term->shortest_time(model, s, a));
  return shortest;
}

double time_to_touch(const Model& model, const State& s, const Points& a) {
  double shortest = std::numeric_limits<double>::infinity();
  for (const auto& term : model.terms()) shortest = std::min(shortest, term->time_to_touch(model, s, a));
  return shortest;
}

Index read_substep_count(Settings& settings, std::string_view key, std::string_view meaning, Index fallback) {
  constexpr Index most = 1'000'000;
  const Index count = settings.integer(key, std::string(meaning) + "; at most " + std::to_string(most), fallback);
  if (count < 1 || count > most)
    settings.reject(key, "must be 1 to " + std::to_string(most), std::to_string(count),
                    "omit it for " + std::to_string(fallback));
  return count;
}

double read_max_step(Settings& settings) {
  const double max_step =
      settings.number("max_step", "s",
                      "longest substep, for pulses too narrow to be seen (docs/integrators.md); default: the time step",
                      std::numeric_limits<double>::quiet_NaN(), ValueSign::Positive);
  return std::isnan(max_step) ? std::numeric_limits<double>::infinity() : max_step;
}

}  // namespace pithball::sim
