#include <cmath>
#include <limits>

#include "datasets/trajectory/h5md.hpp"
#include "python/binding/binding.hpp"

namespace pithball::python {
namespace {

using namespace nb::literals;

/// States side by side; where a state has fewer particles than another, the rest of its column is NaN.
template <class Part>
Eigen::MatrixXd columns_of(const sim::Trajectory& trajectory, Eigen::Index most, Part part) {
  Eigen::MatrixXd columns = Eigen::MatrixXd::Constant(3 * most, static_cast<Eigen::Index>(trajectory.states.size()),
                                                      std::numeric_limits<double>::quiet_NaN());
  for (std::size_t t = 0; t < trajectory.states.size(); ++t) {
    const sim::Points& points = part(trajectory.states[t]);
    columns.col(static_cast<Eigen::Index>(t)).head(points.size()) = sim::flat(points);
  }
  return columns;
}

nb::dict read_trajectory(const std::string& file) {
  datasets::H5mdTrajectory found;
  {
    const nb::gil_scoped_release release;
    found = datasets::read_h5md(file);
  }
  const sim::Trajectory& trajectory = found.trajectory;
  Eigen::Index most = 0;
  sim::Vector time(static_cast<Eigen::Index>(trajectory.states.size()));
  for (std::size_t t = 0; t < trajectory.states.size(); ++t) {
    most = std::max<Eigen::Index>(most, trajectory.states[t].x.cols());
    time[static_cast<Eigen::Index>(t)] = trajectory.states[t].t;
  }
  const std::vector<std::size_t> shape{trajectory.states.size(), static_cast<std::size_t>(most), 3};
  Eigen::MatrixXd springs(2, static_cast<Eigen::Index>(found.body.springs.size()));
  for (std::size_t s = 0; s < found.body.springs.size(); ++s)
    springs.col(static_cast<Eigen::Index>(s)) << static_cast<double>(found.body.springs[s].i),
        static_cast<double>(found.body.springs[s].j);
  nb::dict result;
  result["t"] = to_array(time, {shape[0]});
  result["x"] =
      to_array(columns_of(trajectory, most, [](const sim::State& s) -> const sim::Points& { return s.x; }), shape);
  result["v"] =
      to_array(columns_of(trajectory, most, [](const sim::State& s) -> const sim::Points& { return s.v; }), shape);
  result["mass"] = to_array(found.body.mass, {static_cast<std::size_t>(found.body.mass.size())});
  result["charge"] = to_array(found.body.charge, {static_cast<std::size_t>(found.body.charge.size())});
  result["springs"] = to_array(springs, {found.body.springs.size(), 2});
  result["complete"] = trajectory.complete;
  return result;
}

}  // namespace

void bind_trajectory(nb::module_& module) {
  module.def("read_trajectory", &read_trajectory, "file"_a,
             "A trajectory file as arrays: t (T,) [s], x (T, N, 3) [m], v [m/s], mass (N,) [kg], charge [C], springs.");
}

}  // namespace pithball::python
