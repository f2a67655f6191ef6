#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "app/export/export_format.hpp"
#include "app/export/npz_archive.hpp"

namespace pithball::app {
namespace {

/// The elements of an array that belong to one state, made state by state.
template <class Number>
class OfStates {
 public:
  using Fill = std::function<void(const datasets::H5mdFrame&, std::vector<Number>&)>;
  /// `fill` writes a state's elements over `blank`, which fills the slots without a particle.
  OfStates(const ExportedMotion& motion, std::vector<Number> blank, Fill fill)
      : states_(motion.states()), blank_(std::move(blank)), fill_(std::move(fill)) {}
  const Number* operator()(std::size_t state) {
    numbers_ = blank_;
    fill_(states_[state], numbers_);
    if (state + 1 == states_.size()) states_.release();
    return numbers_.data();
  }

 private:
  datasets::H5mdPages states_;
  std::vector<Number> blank_, numbers_;
  Fill fill_;
};

/// An array with `row` elements per state, equal to `nobody` except for those written by `fill`.
template <class Number>
NpyArray of_states(const ExportedMotion& motion, const std::string& name, const std::vector<std::uint64_t>& row,
                   Number nobody, typename OfStates<Number>::Fill fill) {
  std::vector<std::uint64_t> shape{motion.size()};
  shape.insert(shape.end(), row.begin(), row.end());
  std::uint64_t count = 1;
  for (const std::uint64_t length : row) count *= length;
  NpyArray array(name, shape);
  std::function<const Number*(std::size_t)> make =
      OfStates<Number>(motion, std::vector<Number>(count, nobody), std::move(fill));
  array.add(motion.size(), count, std::move(make));
  return array;
}

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

/// Of all states' columns [T, N, 3]: a 3×N array lies in memory as N rows of three.
NpyArray of_columns(const ExportedMotion& motion, const char* name, Points sim::State::*what) {
  const std::uint64_t width = motion.most_particles();
  return of_states<double>(motion, name, {width, 3}, nothing,
                           [what](const datasets::H5mdFrame& frame, std::vector<double>& numbers) {
                             const Points& columns = frame.state.*what;
                             std::copy(columns.data(), columns.data() + columns.size(), numbers.begin());
                           });
}

/// Properties of each particle of each state, [T, N], with a filler for empty slots.
template <class Number, class ValueOf>
NpyArray of_each(const ExportedMotion& motion, const std::string& name, Number nobody, ValueOf value_of) {
  const std::uint64_t width = motion.most_particles();
  return of_states<Number>(motion, name, {width}, nobody,
                           [value_of](const datasets::H5mdFrame& frame, std::vector<Number>& numbers) {
                             for (std::size_t p = 0; p < frame.roster->size(); ++p) numbers[p] = value_of(frame, p);
                           });
}

/// The arrays of particles that come and go.
std::vector<NpyArray> of_passing_particles(const ExportedMotion& motion) {
  std::vector<NpyArray> arrays;
  if (!motion.come_and_go()) return arrays;
  using Frame = datasets::H5mdFrame;
  arrays.push_back(
      of_each<std::int64_t>(motion, "id", -1, [](const Frame& frame, std::size_t p) { return frame.roster->id[p]; }));
  arrays.push_back(of_each<std::int64_t>(motion, "like", -1,
                                         [](const Frame& frame, std::size_t p) { return frame.roster->like[p]; }));
  arrays.push_back(of_each<double>(motion, "age", nothing, [](const Frame& frame, std::size_t p) {
    return frame.state.t - frame.roster->birth_time[p];
  }));
  for (std::size_t a = 0; a < motion.attributes.size(); ++a)
    arrays.push_back(of_each<double>(motion, motion.attributes[a], nothing, [a](const Frame& frame, std::size_t p) {
      return frame.roster->attributes(a, p);
    }));
  return arrays;
}

template <class List>
NpyArray of_list(const char* name, const List& values) {
  const std::uint64_t count = values.size();
  NpyArray array(name, {count});
  array.add(values.data(), count);
  return array;
}

/// One number for each particle or spring, or of values that change with time for each state too: [T, N]. The numbers
/// of the first state must outlive the array.
template <class ValuesOf>
NpyArray of_values(const ExportedMotion& motion, const char* name, const Vector& first, ValuesOf values_of) {
  if (!motion.changes()) return of_list(name, first);
  return of_states<double>(motion, name, {static_cast<std::uint64_t>(first.size())}, nothing,
                           [&motion, values_of](const datasets::H5mdFrame& frame, std::vector<double>& numbers) {
                             const Vector values = values_of(motion.present(frame));
                             std::copy(values.begin(), values.end(), numbers.begin());
                           });
}

/// std::vector<bool> packs its bits.
using Flags = std::unique_ptr<bool[]>;
NpyArray of_flags(const char* name, const std::vector<bool>& values, Flags& memory) {
  memory = std::make_unique<bool[]>(values.size());
  std::copy(values.begin(), values.end(), memory.get());
  NpyArray array(name, {values.size()});
  array.add(memory.get(), values.size());
  return array;
}

Vector charge_of(const ExportedMotion& motion) { return motion.model.charge(); }
Vector rest_length_of(const ExportedMotion& motion) { return motion.rest_length(); }
Vector stiffness_of(const ExportedMotion& motion) { return motion.stiffness(); }

}  // namespace

ExportResult export_npz(const ExportedMotion& motion, const ExportChoices&, NewFolder& folder, Progress& progress) {
  const std::vector<std::int64_t> steps(motion.step.begin(), motion.step.end());
  std::vector<std::int64_t> springs;
  for (const sim::Spring& spring : motion.model.springs()) springs.insert(springs.end(), {spring.i, spring.j});
  const Vector mass = motion.model.mass(), charge = charge_of(motion), rest_length = rest_length_of(motion),
               stiffness = stiffness_of(motion);
  NpyArray pairs("springs", {motion.model.springs().size(), 2});
  pairs.add(springs.data(), springs.size());
  Flags pinned, driven;

  const std::string name = motion.name + ".npz";
  std::vector<NpyArray> arrays{of_list("times", motion.time),
                               of_list("steps", steps),
                               of_columns(motion, "positions", &sim::State::x),
                               of_columns(motion, "velocities", &sim::State::v),
                               of_list("mass", mass),
                               of_values(motion, "charge", charge, charge_of),
                               pairs,
                               of_values(motion, "rest_length", rest_length, rest_length_of),
                               of_values(motion, "stiffness", stiffness, stiffness_of),
                               of_flags("pinned", motion.pinned(), pinned),
                               of_flags("driven", motion.driven(), driven)};
  const std::vector<NpyArray> passing = of_passing_particles(motion);
  arrays.insert(arrays.end(), passing.begin(), passing.end());
  write_npz(folder.add(name), arrays, [&](double fraction) { progress.update(fraction * motion.size()); });
  return {name, {}};
}

}  // namespace pithball::app
