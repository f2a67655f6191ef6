#include "diff/check/gradient_check.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "diff/check/finite_difference.hpp"

namespace pithball::diff {
namespace {

/// A block of the flat vector of physical values.
struct Range {
  std::string name;
  Index offset, size;
  bool sign_fixed;
  bool is_place;  // coordinates, whose size means nothing: there is no natural origin
};

std::vector<Range> ranges_of(const Scenario& s) {
  std::vector<Range> ranges;
  for (const auto& b : s.model.values().blocks())
    ranges.push_back(
        {b.name, b.offset, b.size, b.sign != sim::ValueSign::Any, b.unit == "m" && b.sign == sim::ValueSign::Any});
  ranges.push_back({"position", s.position_offset(), 3 * s.model.particles(), false, true});
  ranges.push_back({"velocity", s.velocity_offset(), 3 * s.model.particles(), false, false});
  return ranges;
}

/// A direction to check: one entry of a block, or all of them at once.
struct Probe {
  std::size_t range;
  std::string name;
  Vector direction;
  double weight;  // how many entries it sums, as a root: scale of its derivative
};

std::vector<Probe> probes_of(const std::vector<Range>& ranges, const Vector& gradient, Index entries) {
  std::vector<Probe> probes;
  for (std::size_t r = 0; r < ranges.size(); ++r) {
    const auto& [name, offset, size, sign_fixed, is_place] = ranges[r];
    if (size == 0) continue;
    std::vector<Index> chosen;
    if (size <= 2 * entries) {
      chosen.resize(static_cast<std::size_t>(size));
      std::iota(chosen.begin(), chosen.end(), Index{0});
    } else {
      Index largest = 0;
      gradient.segment(offset, size).cwiseAbs().maxCoeff(&largest);
      chosen.push_back(largest);
      for (Index k = 1; k < entries; ++k) chosen.push_back(k * (size - 1) / (entries - 1));
    }
    for (const Index k : chosen) {
      Vector d = Vector::Zero(gradient.size());
      d[offset + k] = 1;
      probes.push_back({r, size == 1 ? name : name + "[" + std::to_string(k) + "]", std::move(d), 1});
    }
    if (size <= 2 * entries) continue;
    Vector d = Vector::Zero(gradient.size());
    for (Index k = 0; k < size; ++k) d[offset + k] = (k * 7919) % 13 < 6 ? -1 : 1;
    probes.push_back({r, name + " (all entries, mixed signs)", std::move(d), std::sqrt(static_cast<double>(size))});
  }
  return probes;
}

/// Watches a run and says how far places may move: 1 % of a spring as it starts, of a body without springs, or of a
/// particle's way where there is one place only [m]. Of what has no extent and rests, nothing is known: 1 cm.
class Reach {
 public:
  explicit Reach(const std::vector<sim::Spring>& springs) : springs_(springs) {}
  void see(Index n, const State& state) {
    if (n == 0) start(state.x);
    low_ = low_.cwiseMin(state.x.rowwise().minCoeff());
    high_ = high_.cwiseMax(state.x.rowwise().maxCoeff());
  }
  double places() const {
    const double length = length_ > 0 ? length_ : (high_ - low_).norm();
    return 0.01 * (length > 0 ? length : 1);
  }

 private:
  void start(const Points& x) {
    low_ = x.rowwise().minCoeff();
    high_ = x.rowwise().maxCoeff();
    for (const auto& [i, j] : springs_)
      length_ += (x.col(i) - x.col(j)).norm() / static_cast<double>(springs_.size());
    if (length_ == 0) length_ = (high_ - low_).norm();
  }
  const std::vector<sim::Spring>& springs_;
  sim::Vec3 low_, high_;
  double length_ = 0;
};

}  // namespace

GradientCheck check_gradient(const Scenario& scenario, const TrajectoryLoss& loss,
                             const GradientCheckOptions& options) {
  GradientCheck check;
  Scenario s = scenario;
  // The first run, which follows, is the one whose cells and substeps are kept.
  s.model = s.model.frozen();
  s.integrator = s.integrator.frozen();
  AdjointRollout rollout(s, options.budget_mb);
  Reach reach_of(s.model.springs());
  check.status = rollout.forward([&](Index n, const State& state) {
    check.loss += loss.value(n, state);
    reach_of.see(n, state);
  });
  if (!check.status.ok()) return check;
  const Vector gradient = rollout.backward(
      [&](Index n, const State& state, Points& gx, Points& gv) { loss.add_gradient(n, state, gx, gv); });
  if (check.status.unreliable_step < 0) check.status.unreliable_step = rollout.unreliable_step();

  const std::vector<Range> ranges = ranges_of(s);
  const std::vector<Probe> probes = probes_of(ranges, gradient, options.entries);
  Eigen::MatrixXd directions(gradient.size(), static_cast<Index>(probes.size()));
  for (std::size_t p = 0; p < probes.size(); ++p) directions.col(static_cast<Index>(p)) = probes[p].direction;
  Vector tangent = Vector::Zero(directions.cols());
  const RolloutStatus tangent_status = run_tangent(
      s, directions, [&](Index n, const State& state, const Eigen::MatrixXd& dx, const Eigen::MatrixXd& dv) {
        Points gx = Points::Zero(3, state.x.cols()), gv = gx;
        loss.add_gradient(n, state, gx, gv);
        tangent += dx.transpose() * sim::flat(gx) + dv.transpose() * sim::flat(gv);
      });
  if (check.status.unreliable_step < 0) check.status.unreliable_step = tangent_status.unreliable_step;

  const Vector values = s.physical_values();
  for (const Range& r : ranges)
    check.blocks.push_back({.name = r.name,
                            .size = r.size,
                            .largest = r.size > 0 ? gradient.segment(r.offset, r.size).cwiseAbs().maxCoeff() : 0,
                            .worst = {},
                            .passed = true});
  for (std::size_t p = 0; p < probes.size(); ++p) {
    const Probe& probe = probes[p];
    const Range& range = ranges[probe.range];
    GradientBlock& block = check.blocks[probe.range];
    const double adjoint = gradient.dot(probe.direction);

    const auto loss_at = [&](double step) -> std::optional<double> {
      double sum = 0;
      const auto status = run_forward(s.with_physical_values(values + step * probe.direction),
                                      [&](Index n, const State& state) { sum += loss.value(n, state); });
      if (!status.ok()) return {};
      return sum;
    };
    // A step that changes the loss by about 2 %, but no value by more than 2 % of itself, or of the block's largest
    // where it is 0. Velocities change by what moves a place as far as places may within the run.
    const double far = reach_of.places();
    double reach = range.is_place ? far
                   : range.name == "velocity"
                       ? 10 * far / (static_cast<double>(std::max<Index>(s.steps, 1)) * s.time_step)
                       : std::numeric_limits<double>::infinity();
    bool at_zero = false;
    const double largest_value = values.segment(range.offset, range.size).cwiseAbs().maxCoeff();
    for (Index k = range.offset; k < range.offset + range.size; ++k)
      if (probe.direction[k] != 0 && !range.is_place && range.name != "velocity") {
        at_zero = at_zero || (range.sign_fixed && values[k] == 0);
        const double size = values[k] != 0 ? std::abs(values[k]) : largest_value;
        if (size > 0) reach = std::min(reach, 0.02 * size);
      }
    const double slope = std::max(std::abs(adjoint), 0.1 * block.largest);
    double step = slope > 0 ? std::min(reach, 0.02 * std::abs(check.loss) / slope) : reach;
    if (!std::isfinite(step)) step = 1;  // of values that are all 0 and on which nothing depends: any will do
    if (at_zero && probe.direction.minCoeff() < 0) continue;  // leaves the allowed side in one direction or the other
    const auto difference = differentiate(loss_at, step, at_zero);

    // What a change of a value by itself makes of the loss is known to rounding by derivatives and, after a division by
    // the short step, to 1e-8 by differences: less than that is 0.
    constexpr double rounding = 1e-14, of_differences = 1e-8;
    const double per_value = largest_value > 0 ? std::abs(check.loss) / largest_value : 0;
    const double scale = (block.largest > 0 ? block.largest : 1) * probe.weight;
    const double coarse = std::max(scale, of_differences * per_value * probe.weight);
    const double apart = std::abs(adjoint - tangent[static_cast<Index>(p)]) - rounding * per_value * probe.weight;
    const double against_tangent = std::max(apart, 0.0) / scale;
    const double against_difference =
        difference ? std::abs(adjoint - difference->value) / coarse : std::numeric_limits<double>::infinity();
    const double own_error = difference ? difference->error / coarse : 0;
    if (block.worst.empty() || against_difference > block.adjoint_vs_difference ||
        against_tangent > std::max(block.adjoint_vs_tangent, block.adjoint_vs_difference)) {
      char text[160];
      std::snprintf(text, sizeof text, ": adjoint %.12g, tangent %.12g, difference %.12g", adjoint,
                    tangent[static_cast<Index>(p)], difference ? difference->value : NAN);
      block.worst = probe.name + text;
    }
    block.adjoint_vs_tangent = std::max(block.adjoint_vs_tangent, against_tangent);
    block.adjoint_vs_difference = std::max(block.adjoint_vs_difference, against_difference);
    block.difference_error = std::max(block.difference_error, own_error);
    // Differences that admit a large error prove nothing: the claim must hold within the tolerance plus nothing more
    // than ten times it.
    const bool agrees =
        against_tangent <= options.tangent_tolerance &&
        against_difference <= options.difference_tolerance + std::min(own_error, 10 * options.difference_tolerance);
    block.passed = block.passed && agrees;
  }
  const bool any = std::any_of(check.blocks.begin(), check.blocks.end(), [](const auto& b) { return b.largest > 0; });
  check.passed = any && std::all_of(check.blocks.begin(), check.blocks.end(), [](const auto& b) { return b.passed; });
  check.crossings = s.model.crossings();
  return check;
}

}  // namespace pithball::diff
