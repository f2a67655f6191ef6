#include "app/report/field_arrows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "app/field/field_samples.hpp"
#include "app/field/sampling.hpp"
#include "app/report/packed.hpp"
#include "sim/core/parallel_for.hpp"
#include "sim/force/drag.hpp"
#include "sim/force/point_charge.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

constexpr double wanted_points = 512;

/// Points of a grid around all places; one layer if they lie in a plane.
Sampling grid_around_motion(datasets::H5mdPages states) {
  Points corners(3, 2);
  corners.colwise() = Vec3(states[0].state.x.col(0));
  for (std::size_t k = 0; k < states.size(); ++k) {
    const Points& x = states[k].state.x;
    corners.col(0) = corners.col(0).cwiseMin(x.rowwise().minCoeff());
    corners.col(1) = corners.col(1).cwiseMax(x.rowwise().maxCoeff());
  }
  Sampling grid = grid_around(corners, {1, 1, 1});
  const Vec3 extent = corners.col(1) - corners.col(0);
  Vec3 side = grid.last - grid.first;
  Index thin = 0;
  if (extent.minCoeff(&thin) < 0.05 * extent.maxCoeff()) side[thin] = 0;
  double space = 1, axes = 0;
  for (const double length : side)
    if (length > 0) space *= length, ++axes;
  const double spacing = std::pow(space / wanted_points, 1 / axes);
  for (std::size_t a = 0; a < 3; ++a) grid.counts[a] = std::max<Index>(1, std::lround(side[a] / spacing));
  return grid;
}

/// The least distance of neighbors along an axis [m].
double least_spacing(const Sampling& grid) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t a = 0; a < 3; ++a)
    if (grid.counts[a] > 1) least = std::min(least, grid.spacing()[a]);  // else it is no distance
  return least;
}

/// The single particle of 1 C with the values that the model gives its external forces.
Experiment test_charge_of(const Run& run, const sim::Model& model) {
  Experiment test = read_test_charge(run.document);
  sim::Model& own = test.scenario.model;
  Vector values = own.values().data();
  std::set<std::string> names;  // those of key frames too
  for (const sim::ValueBlock& block : own.values().blocks())
    if (block.owner == sim::ValueOwner::Term) names.insert(block.name);
  for (const std::string& name : names) {
    std::vector<Index> from;
    const auto& all = model.values().blocks();
    for (Index k = 0; k < static_cast<Index>(all.size()); ++k)
      if (model.values().block(k).name == name) from.push_back(k);
    std::size_t next = 0;
    for (Index k = 0; k < static_cast<Index>(own.values().blocks().size()); ++k) {
      if (own.values().block(k).name != name || next >= from.size()) continue;
      const Index given = from[next++];
      if (model.values().block(given).size == own.values().block(k).size)
        own.values().of(values, k) = model.values()[given];
    }
  }
  own = own.with_values(values);
  return test;
}

bool has_external_field(const sim::Model& model) {
  return std::ranges::any_of(model.terms(), [](const auto& term) {
    return term->traits().name == "electric_field" || term->traits().name == "point_charge";
  });
}

/// Where charges are: of particles, and point charges.
std::vector<Vec3> places_of_charges(const FieldSource& source) {
  std::vector<Vec3> places;
  for (Index i = 0; i < source.charge.size(); ++i)
    if (source.charge[i] != 0) places.emplace_back(source.position.col(i));
  if (source.test_charge)
    for (const auto& term : source.test_charge->scenario.model.given_terms())
      if (const auto* charge = dynamic_cast<const sim::PointCharge*>(term.get()))
        places.push_back(charge->position(source.test_charge->scenario.model.at(source.time), source.time));
  return places;
}

/// The field at the points at the source's time, NaN next to charges.
Points arrows_at(const FieldSource& source, const Points& points, double nearest) {
  Points field = compute_field(source, points).field;
  const std::vector<Vec3> places = places_of_charges(source);
  sim::parallel_for(
      points.cols(), static_cast<double>(points.cols()) * static_cast<double>(places.size()), [&](Index p) {
        if (std::ranges::any_of(places,
                                [&](const Vec3& x) { return (x - points.col(p)).squaredNorm() < nearest * nearest; }))
          field.col(p).setConstant(std::numeric_limits<double>::quiet_NaN());
      });
  return field;
}

/// Up to 60 of the frames, evenly; fewer where a sum over all pairs takes long, so that a report takes seconds.
std::vector<std::size_t> instants(const std::vector<std::size_t>& shown, double sources, double points) {
  const double pairs = (sources + points) * (sources + points);
  const auto most = static_cast<std::size_t>(std::clamp(2e9 / pairs, 2.0, 60.0));
  if (shown.size() <= most) return shown;
  std::vector<std::size_t> some;
  for (std::size_t k = 0; k < most; ++k) some.push_back(shown[k * (shown.size() - 1) / (most - 1)]);
  return some;
}

/// The winds of a model's drag forces; a wind that two of them share occurs once.
std::set<const sim::VectorField*> winds_of(const sim::Model& model) {
  std::set<const sim::VectorField*> winds;
  for (const auto& term : model.given_terms()) {
    if (const auto* linear = dynamic_cast<const sim::LinearDrag*>(term.get())) winds.insert(&linear->wind());
    if (const auto* quadratic = dynamic_cast<const sim::QuadraticDrag*>(term.get())) winds.insert(&quadratic->wind());
  }
  std::erase_if(winds, [](const sim::VectorField* wind) { return wind->uniform_value() == Vec3(Vec3::Zero()); });
  return winds;
}

bool same(const Points& a, const Points& b) {
  const double largest = a.array().isNaN().select(0, a).cwiseAbs().maxCoeff();
  return (a.array().isNaN() == b.array().isNaN()).all() &&
         (a - b).array().isNaN().select(0, a - b).cwiseAbs().maxCoeff() <= 1e-9 * largest;
}

/// Arrows at the points of a grid at several times, or at one if they do not change.
ordered_json packed_arrows(const Sampling& grid, std::vector<double> times, std::vector<Points> arrows) {
  if (std::ranges::all_of(arrows, [&](const Points& later) { return same(arrows.front(), later); })) {
    arrows.resize(1);
    times.resize(1);
  }
  std::vector<float> values;
  for (const Points& instant : arrows)
    for (const double component : instant.reshaped()) values.push_back(static_cast<float>(component));
  const Points points = grid.points();
  const std::size_t count = points.cols();
  const auto places = points.reshaped().cast<float>();
  return {{"points", pack_float32({count, 3}, {places.begin(), places.end()})},
          {"times", times},
          {"values", pack_float32({arrows.size(), count, 3}, values)}};
}

}  // namespace

ordered_json field_arrows(const Run& run, const sim::Model& model, const datasets::H5mdReader& trajectory,
                          const std::vector<std::size_t>& shown) {
  const bool charged = (model.charge().array() != 0).any(), external = has_external_field(model);
  if (!charged && !external) return nullptr;
  FieldSource source{.name = run.experiment.name,
                     .experiment = run.experiment,
                     .position = {},
                     .charge = model.charge(),
                     .test_charge = external ? std::optional(test_charge_of(run, model)) : std::nullopt};
  const Sampling grid = grid_around_motion({trajectory, shown});
  const Points points = grid.points();
  const double nearest = least_spacing(grid) / 3;
  std::vector<Points> fields;
  std::vector<double> times;
  const double charges = (model.charge().array() != 0).count();
  for (const std::size_t k : instants(shown, charges, points.cols())) {
    const datasets::H5mdFrame frame = trajectory.frame(k);
    source.time = frame.state.t;
    source.position = frame.state.x;
    source.charge = model.at(source.time).charge();
    if (frame.roster) source.charge = Vector(source.charge(frame.roster->like));
    fields.push_back(arrows_at(source, points, nearest));
    times.push_back(source.time);
  }
  return packed_arrows(grid, std::move(times), std::move(fields));
}

ordered_json wind_arrows(const sim::Model& model, const datasets::H5mdReader& trajectory,
                         const std::vector<std::size_t>& shown) {
  const std::set<const sim::VectorField*> winds = winds_of(model);
  if (winds.empty()) return nullptr;
  const Sampling grid = grid_around_motion({trajectory, shown});
  const Points points = grid.points();
  std::vector<Points> arrows;
  std::vector<double> times;
  for (const std::size_t k : instants(shown, 0, static_cast<double>(points.cols()))) {
    times.push_back(trajectory.times()[k]);
    arrows.push_back(Points::Zero(3, points.cols()));
    for (const sim::VectorField* wind : winds) arrows.back() += wind->values(points, times.back());
  }
  return packed_arrows(grid, std::move(times), std::move(arrows));
}

}  // namespace pithball::app
