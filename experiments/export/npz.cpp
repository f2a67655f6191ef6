#include <algorithm>
#include <limits>
#include <list>
#include <memory>

#include "experiments/export/export_format.hpp"
#include "experiments/export/npz_archive.hpp"

namespace pithball::experiments {
namespace {

/// One array of all states' columns [T, N, 3]: a 3×N array lies in memory as N rows of three.
NpyArray of_states(const std::vector<sim::State>& states, const char* name, Points sim::State::*what) {
  NpyArray array(name, {states.size(), static_cast<std::uint64_t>(states.front().x.cols()), 3});
  for (const sim::State& s : states) array.add((s.*what).data(), static_cast<std::uint64_t>((s.*what).size()));
  return array;
}

/// The states as wide as the widest, NaN where nobody is.
std::vector<sim::State> padded(const ExportedMotion& motion) {
  Index width = 0;
  for (const sim::State& s : motion.states) width = std::max(width, s.x.cols());
  std::vector<sim::State> states;
  for (const sim::State& s : motion.states) {
    const Points nobody = Points::Constant(3, width, std::numeric_limits<double>::quiet_NaN());
    states.push_back({s.t, nobody, nobody});
    states.back().x.leftCols(s.x.cols()) = s.x;
    states.back().v.leftCols(s.v.cols()) = s.v;
  }
  return states;
}

/// What each particle of each state is, [T, N], with a number for nobody.
template <class Number, class ValueOf>
std::vector<Number> of_each(const ExportedMotion& motion, Index width, Number nobody, const ValueOf& value_of) {
  std::vector<Number> values(motion.states.size() * static_cast<std::size_t>(width), nobody);
  for (std::size_t k = 0; k < motion.states.size(); ++k)
    for (std::size_t p = 0; p < motion.rosters[k].size(); ++p)
      values[k * static_cast<std::size_t>(width) + p] = value_of(k, p);
  return values;
}

/// The arrays of particles that come and go, whose memory outlives them.
class Passing {
 public:
  explicit Passing(const ExportedMotion& motion) {
    if (motion.rosters.empty()) return;
    states = padded(motion);
    shape_ = {motion.states.size(), static_cast<std::uint64_t>(states.front().x.cols())};
    const Index width = states.front().x.cols();
    const std::vector<sim::Roster>& rosters = motion.rosters;
    const auto number = [&](const char* name, const auto& value_of) {
      add(name, integers_.emplace_back(of_each<std::int64_t>(motion, width, -1, value_of)));
    };
    const auto quantity = [&](const std::string& name, const auto& value_of) {
      add(name, numbers_.emplace_back(of_each(motion, width, std::numeric_limits<double>::quiet_NaN(), value_of)));
    };
    number("id", [&](std::size_t k, std::size_t p) { return rosters[k].id[p]; });
    number("like", [&](std::size_t k, std::size_t p) { return rosters[k].like[p]; });
    quantity("age", [&](std::size_t k, std::size_t p) { return motion.states[k].t - rosters[k].birth_time[p]; });
    for (std::size_t a = 0; a < motion.attributes.size(); ++a)
      quantity(motion.attributes[a], [&](std::size_t k, std::size_t p) {
        return rosters[k].attributes(static_cast<Index>(a), static_cast<Index>(p));
      });
  }
  std::vector<sim::State> states;
  std::vector<NpyArray> arrays;

 private:
  template <class Number>
  void add(const std::string& name, const std::vector<Number>& values) {
    arrays.emplace_back(name, shape_).add(values.data(), values.size());
  }
  std::vector<std::uint64_t> shape_;
  std::list<std::vector<std::int64_t>> integers_;
  std::list<std::vector<double>> numbers_;
};

template <class List>
NpyArray of_list(const char* name, const List& values) {
  const auto count = static_cast<std::uint64_t>(values.size());
  NpyArray array(name, {count});
  array.add(values.data(), count);
  return array;
}

/// One number for each particle or spring, or of values that change with time for each state too: [T, N].
class ValuesInTime {
 public:
  template <class ValuesOf>
  ValuesInTime(const ExportedMotion& motion, const ValuesOf& values_of) {
    if (!motion.changes()) add(values_of(motion));
    if (motion.changes()) shape_.push_back(motion.states.size());
    for (std::size_t k = 0; motion.changes() && k < motion.states.size(); ++k) add(values_of(motion.present(k)));
  }
  NpyArray array(const char* name) const {
    std::vector<std::uint64_t> shape = shape_;
    shape.push_back(count_);
    NpyArray array(name, shape);
    array.add(numbers_.data(), numbers_.size());
    return array;
  }

 private:
  void add(const Vector& values) {
    count_ = static_cast<std::uint64_t>(values.size());
    numbers_.insert(numbers_.end(), values.begin(), values.end());
  }
  std::vector<std::uint64_t> shape_;
  std::uint64_t count_ = 0;
  std::vector<double> numbers_;
};

/// std::vector<bool> packs its bits.
using Flags = std::unique_ptr<bool[]>;
NpyArray of_flags(const char* name, const std::vector<bool>& values, Flags& memory) {
  memory = std::make_unique<bool[]>(values.size());
  std::copy(values.begin(), values.end(), memory.get());
  NpyArray array(name, {values.size()});
  array.add(memory.get(), values.size());
  return array;
}

}  // namespace

ExportResult export_npz(const ExportedMotion& motion, const ExportChoices&, NewFolder& folder, Progress& progress) {
  std::vector<double> times;
  for (const sim::State& s : motion.states) times.push_back(s.t);
  const std::vector<std::int64_t> steps(motion.step.begin(), motion.step.end());
  std::vector<std::int64_t> springs;
  for (const sim::Spring& spring : motion.model.springs()) springs.insert(springs.end(), {spring.i, spring.j});
  const Vector mass = motion.model.mass();
  const ValuesInTime charge(motion, [](const ExportedMotion& now) { return Vector(now.model.charge()); }),
      rest_length(motion, [](const ExportedMotion& now) { return now.rest_length(); }),
      stiffness(motion, [](const ExportedMotion& now) { return now.stiffness(); });
  NpyArray pairs("springs", {motion.model.springs().size(), 2});
  pairs.add(springs.data(), springs.size());
  Flags pinned, driven;

  const std::string name = motion.name + ".npz";
  const Passing passing(motion);
  const std::vector<sim::State>& states = motion.rosters.empty() ? motion.states : passing.states;
  std::vector<NpyArray> arrays{of_list("times", times),
                               of_list("steps", steps),
                               of_states(states, "positions", &sim::State::x),
                               of_states(states, "velocities", &sim::State::v),
                               of_list("mass", mass),
                               charge.array("charge"),
                               pairs,
                               rest_length.array("rest_length"),
                               stiffness.array("stiffness"),
                               of_flags("pinned", motion.pinned(), pinned),
                               of_flags("driven", motion.driven(), driven)};
  arrays.insert(arrays.end(), passing.arrays.begin(), passing.arrays.end());
  write_npz(folder.add(name), arrays,
            [&](double fraction) { progress.update(fraction * static_cast<double>(motion.states.size())); });
  return {name, {}};
}

}  // namespace pithball::experiments
