#include "app/export/holdable_states.hpp"

#include <fmt/format.h>

#include <limits>

#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

bool is_holdable(const sim::State& s) {
  const double largest = std::numeric_limits<float>::max();  // programs that read these formats draw with such numbers
  return (s.x.array().abs() <= largest).all() && (s.v.array().abs() <= largest).all();
}

}  // namespace

std::string drop_unholdable_states(const ExportFormat& format, ExportedMotion& motion) {
  if (format.any_number) return "";
  datasets::H5mdPages states = motion.states();
  const std::size_t all = motion.size(), wanted = format.whole_motion ? all : 1;
  std::size_t left = 0;
  while (left < wanted && is_holdable(states[left].state)) ++left;
  if (left == wanted) return "";
  const std::string why = "is not finite or too large, which " + format.name + " cannot store";
  if (left == 0)
    throw InvalidArgument({"--format " + format.name, "", "requires a snapshot with finite numbers",
                           fmt::format("one at t = {:g} s that {}", motion.time.front(), why),
                           "choose an earlier snapshot, or another format (csv, npz, vtk)"});
  std::string note = fmt::format("the last {} of {} snapshots are omitted: the one at t = {:g} s {}", all - left, all,
                                 motion.time[left], why);
  motion.step.resize(left);
  motion.time.resize(left);
  motion.numbers.resize(left);
  return note;
}

}  // namespace pithball::app
