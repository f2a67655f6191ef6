#include <fmt/format.h>

#include <Eigen/Geometry>
#include <iterator>
#include <ostream>

#include "app/export/each_state.hpp"
#include "app/export/export_format.hpp"

namespace pithball::app {
namespace {

/// Returns a box around all states, so that readers that measure from its corner show the same motion.
std::string box_lines(const ExportedMotion& motion) {
  Eigen::AlignedBox3d box;
  datasets::H5mdPages states = motion.states();
  for (std::size_t k = 0; k < states.size(); ++k)
    for (Index i = 0; i < states[k].state.x.cols(); ++i) box.extend(states[k].state.x.col(i));
  if (box.isEmpty()) box.extend(Eigen::Vector3d::Zero());
  std::string lines = "ITEM: BOX BOUNDS ff ff ff\n";
  for (int a = 0; a < 3; ++a) lines += fmt::format("{} {}\n", box.min()[a], box.max()[a]);
  return lines;
}

}  // namespace

ExportResult export_lammpstrj(const ExportedMotion& motion, const ExportChoices&, NewFolder& folder,
                              Progress& progress) {
  const std::string file = motion.name + ".lammpstrj", box = box_lines(motion);
  folder.write(file, [&](std::ostream& out) {
    each_state(motion, progress, [&](std::size_t k, const datasets::H5mdFrame& frame, const sim::Model& model) {
      const sim::State& s = frame.state;
      std::string text =
          fmt::format("ITEM: TIMESTEP\n{}\nITEM: NUMBER OF ATOMS\n{}\n{}", motion.step[k], s.x.cols(), box);
      text += "ITEM: ATOMS id type x y z vx vy vz mass q\n";
      for (Index i = 0; i < s.x.cols(); ++i)
        fmt::format_to(std::back_inserter(text), "{} 1 {} {} {} {} {} {} {} {}\n", frame.id(i) + 1, s.x(0, i),
                       s.x(1, i), s.x(2, i), s.v(0, i), s.v(1, i), s.v(2, i), model.mass()[i], model.charge()[i]);
      out << text;
    });
  });
  return {file, {fmt::format("numbers are in SI units; a time step is {} s", motion.run.time_step)}};
}

}  // namespace pithball::app
