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
#include "sim/population/roster.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

constexpr double wanted_points = 512;

/// Returns a grid that encloses all positions; a single layer if they lie in a plane.
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

/// Returns the smallest grid spacing along any axis [m].
double least_spacing(const Sampling& grid) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t a = 0; a < 3; ++a)
    if (grid.counts[a] > 1) least = std::min(least, grid.spacing()[a]);  // a single point has no spacing
  return least;
}

bool has_external_field(const sim::Model& model) {
  return std::ranges::any_of(model.terms(), [](const auto& force) {
    const auto* ability = force->template as<sim::ActsOnTestCharge>();
    return ability && ability->field_origin() == sim::FieldOrigin::External;
  });
}

/// Returns the positions of all charges: those of particles, and external ones.
std::vector<Vec3> places_of_charges(const FieldSource& source) {
  std::vector<Vec3> places;
  for (Index i = 0; i < source.charges.charge.size(); ++i)
    if (source.charges.charge[i] != 0) places.emplace_back(source.charges.x.col(i));
  for (const auto& force : source.model.terms())
    if (const auto* ability = force->as<sim::ActsOnTestCharge>())
      for (const Vec3& pole : ability->field_poles(source.model, source.charges.t)) places.push_back(pole);
  return places;
}

/// Evaluates the field at the points at the source's time; NaN next to charges.
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

/// Selects up to 60 of the frames, evenly spaced; fewer if the sums over all pairs are slow, so that a report takes
/// only seconds.
std::vector<std::size_t> instants(const std::vector<std::size_t>& shown, double sources, double points) {
  const double pairs = (sources + points) * (sources + points);
  const auto most = static_cast<std::size_t>(std::clamp(2e9 / pairs, 2.0, 60.0));
  if (shown.size() <= most) return shown;
  std::vector<std::size_t> some;
  for (std::size_t k = 0; k < most; ++k) some.push_back(shown[k * (shown.size() - 1) / (most - 1)]);
  return some;
}

/// Returns the wind fields of a model's drag forces; one shared by several forces is listed once.
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

/// Packs the arrows on a grid at several times, or at one time if they do not change.
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

ordered_json field_arrows(const sim::Model& model, const datasets::H5mdReader& trajectory,
                          const std::vector<std::size_t>& shown) {
  FieldSource source{.name = "", .model = model, .charges = {}, .external = true};
  const double charges = (model.charge().array() != 0).count();
  if (charges == 0 && !has_external_field(model)) return nullptr;
  const Sampling grid = grid_around_motion({trajectory, shown});
  const Points points = grid.points();
  const double nearest = least_spacing(grid) / 3;
  std::vector<Points> fields;
  std::vector<double> times;
  for (const std::size_t k : instants(shown, charges, points.cols())) {
    const datasets::H5mdFrame frame = trajectory.frame(k);
    if (frame.roster) source.model = model.with_particles(sim::origins_of(*frame.roster, model.particles()));
    source.charges = {frame.state.t, frame.state.x, source.model.at(frame.state.t).charge()};
    fields.push_back(arrows_at(source, points, nearest));
    times.push_back(source.charges.t);
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
