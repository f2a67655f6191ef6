#include <algorithm>
#include <memory>

#include "experiments/export/export_format.hpp"
#include "experiments/export/npz_archive.hpp"

namespace pithball::experiments {
namespace {

/// One array of all states' columns [T, N, 3]: a 3×N array lies in memory as N rows of three.
NpyArray of_states(const ExportedMotion& motion, const char* name, Points sim::State::*what) {
  NpyArray array(name, {motion.states.size(), static_cast<std::uint64_t>(motion.particles()), 3});
  for (const sim::State& s : motion.states) array.add((s.*what).data(), static_cast<std::uint64_t>((s.*what).size()));
  return array;
}

template <class List>
NpyArray of_list(const char* name, const List& values) {
  const auto count = static_cast<std::uint64_t>(values.size());
  NpyArray array(name, {count});
  array.add(values.data(), count);
  return array;
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

}  // namespace

ExportResult export_npz(const ExportedMotion& motion, const ExportChoices&, NewFolder& folder, Progress& progress) {
  std::vector<double> times;
  for (const sim::State& s : motion.states) times.push_back(s.t);
  const std::vector<std::int64_t> steps(motion.step.begin(), motion.step.end());
  std::vector<std::int64_t> springs;
  for (const sim::Spring& spring : motion.model.springs()) springs.insert(springs.end(), {spring.i, spring.j});
  const Vector mass = motion.model.mass(), charge = motion.model.charge(), rest_length = motion.rest_length(),
               stiffness = motion.stiffness();
  NpyArray pairs("springs", {motion.model.springs().size(), 2});
  pairs.add(springs.data(), springs.size());
  Flags pinned, driven;

  const std::string name = motion.name + ".npz";
  write_npz(folder.add(name),
            {of_list("times", times), of_list("steps", steps), of_states(motion, "positions", &sim::State::x),
             of_states(motion, "velocities", &sim::State::v), of_list("mass", mass), of_list("charge", charge), pairs,
             of_list("rest_length", rest_length), of_list("stiffness", stiffness),
             of_flags("pinned", motion.pinned(), pinned), of_flags("driven", motion.driven(), driven)},
            [&](double fraction) { progress.update(fraction * static_cast<double>(motion.states.size())); });
  return {name, {}};
}

}  // namespace pithball::experiments
