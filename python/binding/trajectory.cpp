#include <cmath>
#include <limits>

#include "datasets/trajectory/h5md.hpp"
#include "python/binding/binding.hpp"

namespace pithball::python {
namespace {

using namespace nb::literals;

/// States side by side; where a state has fewer particles than another, the rest of its column is NaN.
template <class Part>
Eigen::MatrixXd columns_of(const std::vector<sim::State>& states, Eigen::Index most, Part part) {
  Eigen::MatrixXd columns = Eigen::MatrixXd::Constant(3 * most, static_cast<Eigen::Index>(states.size()),
                                                      std::numeric_limits<double>::quiet_NaN());
  for (Eigen::Index t = 0; t < columns.cols(); ++t) {
    const sim::Points& points = part(states[t]);
    columns.col(t).head(points.size()) = sim::flat(points);
  }
  return columns;
}

nb::dict read_trajectory(const std::string& file) {
  const datasets::H5mdTrajectory found = released([&] { return datasets::read_h5md(file); });
  const std::vector<sim::State>& states = found.trajectory.states;
  sim::Vector time(states.size());
  Eigen::Index most = 0;
  for (Eigen::Index t = 0; t < time.size(); ++t) {
    most = std::max<Eigen::Index>(most, states[t].x.cols());
    time[t] = states[t].t;
  }
  Eigen::MatrixXd springs(2, found.body.springs.size());
  for (Eigen::Index s = 0; s < springs.cols(); ++s) {
    const sim::Spring& spring = found.body.springs[s];
    springs.col(s) = Eigen::Vector2d(spring.i, spring.j);
  }
  const std::vector<std::size_t> shape{states.size(), static_cast<std::size_t>(most), 3};
  nb::dict result;
  result["t"] = to_array(time, {shape[0]});
  result["x"] =
      to_array(columns_of(states, most, [](const sim::State& s) -> const sim::Points& { return s.x; }), shape);
  result["v"] =
      to_array(columns_of(states, most, [](const sim::State& s) -> const sim::Points& { return s.v; }), shape);
  result["mass"] = to_array(found.body.mass, {static_cast<std::size_t>(found.body.mass.size())});
  result["charge"] = to_array(found.body.charge, {static_cast<std::size_t>(found.body.charge.size())});
  result["springs"] = to_array(springs, {found.body.springs.size(), 2});
  result["complete"] = found.trajectory.complete;
  return result;
}

}  // namespace

void bind_trajectory(nb::module_& module) {
  module.def("read_trajectory", &read_trajectory, "file"_a,
             "A trajectory file as arrays: t (T,) [s], x (T, N, 3) [m], v [m/s], mass (N,) [kg], charge [C], springs.");
}

}  // namespace pithball::python
