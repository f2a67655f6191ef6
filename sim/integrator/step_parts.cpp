#include "sim/integrator/step_parts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pithball::sim {
namespace {

/// Two times that should be equal differ by less than this many roundings, however they were computed.
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

}  // namespace pithball::sim
