#include <stdexcept>

#include "datasets/trajectory/h5md.hpp"
#include "fuzz/target.hpp"

/// A trajectory, and what going on with it would make of it.
void pithball::fuzz::trajectory(std::string_view bytes, const std::string&) {
  const std::string file = as_file(bytes, "input.h5");
  const datasets::H5mdTrajectory read = datasets::read_h5md(file);
  const sim::Trajectory& motion = read.trajectory;
  require(motion.step.size() == motion.states.size(), "every state has a step");
  for (const sim::State& state : motion.states)
    require(state.x.cols() == state.v.cols(), "every particle has a place and a velocity");
  if (!motion.states.empty() && motion.rosters.empty())
    for (const sim::Spring& spring : read.body.springs)
      require(0 <= spring.i && 0 <= spring.j && spring.i < motion.states.front().x.cols() &&
                  spring.j < motion.states.front().x.cols(),
              "springs tie two particles");
  try {
    datasets::H5mdWriter::resume(file).finish(true);
  } catch (const std::runtime_error&) {  // what cannot be written in a damaged file
  }
}
