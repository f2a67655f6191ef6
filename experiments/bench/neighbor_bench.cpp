#include "experiments/bench/neighbor_bench.hpp"

#include <cmath>
#include <limits>
#include <random>

#include "experiments/bench/stopwatch.hpp"
#include "sim/force/sph_fluid.hpp"
#include "sim/model/model.hpp"
#include "sim/neighbors/neighbor_registry.hpp"

namespace pithball::experiments {

using sim::Index;

namespace {

constexpr const char* fluid_force = "sph";

/// Returns a function that sums the pressure forces once in a fluid with particles at these points and a support of 1
/// m.
std::function<void()> fluid_sum(const sim::Points& x, Index& pairs) {
  const double h = 0.5;
  const sim::FluidPairs fluid(sim::make_neighbor_search("auto"), sim::kernel::WendlandC2(h, 3), h, 3);
  const auto pressure = std::make_shared<sim::SphPressure>(fluid, sim::kernel::Polytropic{1, 1.4});
  const sim::Model model({.particles = x.cols(), .springs = {}, .held = {}}, sim::Vector::Ones(x.cols()),
                         sim::Vector::Zero(x.cols()), {pressure});
  fluid.rows(x).for_each([&](const sim::PairRow& row) { pairs += static_cast<Index>(row.count); });
  return [pressure, model, state = sim::State{0, x, sim::Points::Zero(3, x.cols())}] {
    sim::Points force = sim::Points::Zero(3, model.particles());
    pressure->add_force(model, state, force);
  };
}

}  // namespace

sim::Points even_cloud(Index points, double density) {
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<double> place(0, std::cbrt(points / density));
  sim::Points x(3, points);
  for (double& entry : x.reshaped()) entry = place(generator);
  return x;
}

std::vector<std::string> timed_methods(Index points) {
  std::vector<std::string> names;
  for (const sim::NeighborMethod& method : sim::neighbor_methods()) {
    const bool asks_others = method.name == "auto" || method.name == "verlet_list";
    if (!asks_others && (method.name != "brute_force" || points <= 20000)) names.push_back(method.name);
  }
  names.push_back(fluid_force);
  return names;
}

std::vector<NeighborRow> measure_neighbors(Index points, double density, const std::vector<std::string>& methods,
                                           int repeats) {
  const sim::Points x = even_cloud(points, density);
  std::vector<NeighborRow> rows(methods.size());
  std::vector<std::function<void()>> searches;
  for (std::size_t k = 0; k < methods.size(); ++k) {
    rows[k].method = methods[k];
    rows[k].points = points;
    if (methods[k] == fluid_force) {
      searches.push_back(fluid_sum(x, rows[k].pairs));
      continue;
    }
    searches.push_back([&row = rows[k], &x, search = sim::make_neighbor_search(methods[k])] {
      row.pairs = search->find(x, 1, &row.cost)->pairs();
    });
  }
  const std::vector<double> seconds = interleaved_seconds(searches, repeats, Counted::LeastProcessorTime);
  for (std::size_t k = 0; k < methods.size(); ++k) rows[k].seconds = seconds[k];
  return rows;
}

double cost_exponent(const std::vector<NeighborRow>& rows, const std::string& method) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (const NeighborRow& row : rows) {
    if (row.method != method) continue;
    const double x = std::log(row.points), y = std::log(row.seconds);
    n += 1, sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  return n < 2 ? std::numeric_limits<double>::quiet_NaN() : (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

}  // namespace pithball::experiments
