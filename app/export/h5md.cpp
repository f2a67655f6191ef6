#include "datasets/trajectory/h5md.hpp"

#include "app/base/version.hpp"
#include "app/export/each_state.hpp"
#include "app/export/export_format.hpp"

namespace pithball::app {
namespace {

constexpr double nanometers = 1e9, picoseconds = 1e12;  // per meter, per second

}  // namespace

ExportResult export_h5md(const ExportedMotion& motion, const ExportChoices&, NewFolder& folder, Progress& progress) {
  const std::string file = motion.name + ".h5md";
  datasets::H5mdBody body{.mass = motion.model.mass(),
                          .charge = motion.model.charge(),
                          .springs = motion.model.springs(),
                          .stiffness = motion.stiffness(),
                          .rest_length = motion.rest_length()};
  body.program_version = version;
  body.units = {.length = "nm", .time = "ps", .velocity = "nm ps-1"};
  datasets::H5mdWriter writer(folder.add(file).string(), body);
  datasets::H5mdPages states = motion.states();
  for (std::size_t k = 0; k < states.size(); ++k) {
    sim::State state = states[k].state;
    state.t *= picoseconds;
    state.x *= nanometers;
    state.v *= nanometers / picoseconds;
    writer.append(motion.step[k], state);
    progress.update(static_cast<double>(k + 1));
  }
  writer.finish(motion.run.complete);
  ExportResult result{file, {}};
  if (motion.changes()) result.notes.push_back("charge, stiffness and rest length are those of the first state");
  return result;
}

}  // namespace pithball::app
