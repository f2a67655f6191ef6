#include "diff/check/gradient_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "sim/core/error.hpp"
#include "sim/core/text.hpp"

namespace pithball::diff {

std::optional<DifferenceEstimate> differentiate(const std::function<std::optional<double>(double)>& f,
                                                double first_step, bool one_sided) {
  constexpr int levels = 14;  // down to 1e-4 of the first step: buckling bodies are smooth on small scales only
  // The error of central differences is a series in h², h⁴, …, that of one-sided ones a series in h, h², …: halving the
  // step divides the leading term by 4 or 2.
  const double ratio = one_sided ? 2 : 4;
  std::optional<double> center;
  if (one_sided && !(center = f(0))) return {};
  std::vector<double> previous;
  DifferenceEstimate best{0, std::numeric_limits<double>::infinity()};
  double h = first_step;
  for (int k = 0; k < levels; ++k, h /= 2) {
    const auto forward = f(h);
    const auto backward = one_sided ? center : f(-h);
    if (!forward || !backward) {
      previous.clear();
      continue;
    }
    // Rounding error of a difference: without it, chance agreement at tiny steps would look like convergence.
    const double rounding =
        64 * std::numeric_limits<double>::epsilon() * std::max(std::abs(*forward), std::abs(*backward)) / h;
    std::vector<double> row{(*forward - *backward) / (one_sided ? h : 2 * h)};
    double factor = ratio;
    for (std::size_t j = 0; j < previous.size(); ++j, factor *= ratio) {
      row.push_back(row[j] + (row[j] - previous[j]) / (factor - 1));
      const double error = rounding + std::max(std::abs(row[j + 1] - row[j]), std::abs(row[j + 1] - previous[j]));
      if (error <= best.error) best = {row[j + 1], error};
    }
    if (std::isinf(best.error)) best.value = row[0];
    previous = std::move(row);
  }
  if (std::isinf(best.error)) return {};
  return best;
}

namespace {

/// A block of the flat vector of physical values.
struct Range {
  std::string name;
  Index offset, size;
  bool sign_fixed;
  bool is_place;  // coordinates, whose magnitude is meaningless without a natural origin
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
  double weight;  // square root of the number of entries it sums: scale of its derivative
};

std::vector<Probe> probes_of(const std::vector<Range>& ranges, const Vector& gradient, Index entries) {
  std::vector<Probe> probes;
  for (std::size_t r = 0; r < ranges.size(); ++r) {
    const auto& [name, offset, size, sign_fixed, is_place] = ranges[r];
    if (size == 0) continue;
    std::vector<Index> chosen;
    if (size <= 2 * entries) {
      chosen.resize(size);
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
    probes.push_back({r, name + " (all entries, mixed signs)", std::move(d), std::sqrt(size)});
  }
  return probes;
}

/// Determines from a run how far positions may be moved [m]: by 1 % of the mean initial spring length; without springs,
/// of the extent of the body; for a single particle, of the extent of its path. If that particle stays at rest, by 1
/// cm.
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
    for (const auto& [i, j] : springs_) length_ += (x.col(i) - x.col(j)).norm() / springs_.size();
    if (length_ == 0) length_ = (high_ - low_).norm();
  }
  const std::vector<sim::Spring>& springs_;
  sim::Vec3 low_, high_;
  double length_ = 0;
};

/// One check: the run, its gradient by the adjoint, and the comparison with tangents and differences for each probe.
class Comparison {
 public:
  Comparison(const Scenario& scenario, const TrajectoryLoss& loss, const GradientCheckOptions& options)
      : loss_(loss), options_(options), scenario_(frozen(scenario)), reach_(scenario_.model.springs()) {}

  GradientCheck run();

 private:
  /// The scenario with the cells and substeps that its first run chooses.
  static Scenario frozen(Scenario s) {
    s.model = s.model.frozen();
    s.integrator = s.integrator.frozen();
    return s;
  }
  void find_gradient();
  void find_tangents();
  std::optional<double> loss_of(const Vector& values) const;
  double step_of(const Probe& probe, double adjoint) const;
  template <class Loss>
  double settled(double step, const Loss& loss_at) const;
  bool begins_at_zero(const Probe& probe) const;
  bool may_start(const Vector& values) const;
  double largest_value(const Range& range) const {
    return values_.segment(range.offset, range.size).cwiseAbs().maxCoeff();
  }
  void compare(std::size_t p);
  void judge(const Probe& probe, double adjoint, double tangent, const std::optional<DifferenceEstimate>& difference);
  /// Reports progress, counted in runs: the gradient takes a few, tangents about two per probe, differences 28 per
  /// probe.
  void report(double probes_of_tangents, double runs_of_differences) const {
    if (!options_.on_progress) return;
    const double of_tangents = 2, of_differences = 28, all = static_cast<double>(probes_.size());
    const double done = of_tangents * probes_of_tangents + runs_of_differences;
    options_.on_progress(all > 0 ? std::min(done / ((of_tangents + of_differences) * all), 1.0) : 0);
  }

  const TrajectoryLoss& loss_;
  const GradientCheckOptions& options_;
  Scenario scenario_;
  Reach reach_;
  GradientCheck check_;
  Vector values_, gradient_, tangents_;  // the last: one entry per probe
  std::vector<Range> ranges_;
  std::vector<Probe> probes_;
};

void Comparison::find_gradient() {
  AdjointRollout rollout(scenario_, options_.budget_mb);
  check_.status = rollout.forward([&](Index n, const State& state) {
    check_.loss += loss_.value(n, state);
    reach_.see(n, state);
    report(0, 0);
  });
  if (!check_.status.ok()) return;
  gradient_ = rollout.backward(
      [&](Index n, const State& state, Points& gx, Points& gv) { loss_.add_gradient(n, state, gx, gv); });
  if (check_.status.unreliable_step < 0) check_.status.unreliable_step = rollout.unreliable_step();
}

void Comparison::find_tangents() {
  Eigen::MatrixXd directions(gradient_.size(), static_cast<Index>(probes_.size()));
  for (std::size_t p = 0; p < probes_.size(); ++p) directions.col(p) = probes_[p].direction;
  tangents_ = Vector::Zero(directions.cols());
  const RolloutStatus status = run_tangent(
      scenario_, directions, [&](Index n, const State& state, const Eigen::MatrixXd& dx, const Eigen::MatrixXd& dv) {
        Points gx = Points::Zero(3, state.x.cols()), gv = gx;
        loss_.add_gradient(n, state, gx, gv);
        tangents_ += dx.transpose() * sim::flat(gx) + dv.transpose() * sim::flat(gv);
        report(static_cast<double>(probes_.size()) * n / std::max<Index>(scenario_.steps, 1), 0);
      });
  if (check_.status.unreliable_step < 0) check_.status.unreliable_step = status.unreliable_step;
}

std::optional<double> Comparison::loss_of(const Vector& values) const {
  double sum = 0;
  const auto status = run_forward(scenario_.with_physical_values(values),
                                  [&](Index n, const State& state) { sum += loss_.value(n, state); });
  if (!status.ok()) return {};
  return sum;
}

/// Whether the scenario may have these values: a spring of no length between particles in one place must keep its 0.
bool Comparison::may_start(const Vector& values) const {
  const Scenario changed = scenario_.with_physical_values(values);
  try {
    for (const auto& term : changed.model.terms()) term->validate(changed.model, changed.initial);
  } catch (const InvalidArgument&) {
    return false;
  }
  return true;
}

bool Comparison::begins_at_zero(const Probe& probe) const {
  const Range& range = ranges_[probe.range];
  for (Index k = range.offset; k < range.offset + range.size; ++k)
    if (probe.direction[k] != 0 && range.sign_fixed && values_[k] == 0) return true;
  return false;
}

/// Returns a step that changes the loss by about 2 %, but no value by more than 2 % of itself, or if it is 0, of the
/// largest value in its block. Velocities may change so much that a particle moves during the run by up to ten times
/// the limit for positions.
double Comparison::step_of(const Probe& probe, double adjoint) const {
  const Range& range = ranges_[probe.range];
  double reach = std::numeric_limits<double>::infinity();
  if (range.is_place) {
    reach = reach_.places();
  } else if (range.name == "velocity") {
    const double duration = std::max<Index>(scenario_.steps, 1) * scenario_.time_step;
    reach = 10 * reach_.places() / duration;
  } else {
    const double largest = largest_value(range);
    for (Index k = range.offset; k < range.offset + range.size; ++k) {
      const double size = values_[k] != 0 ? std::abs(values_[k]) : largest;
      if (probe.direction[k] != 0 && size > 0) reach = std::min(reach, 0.02 * size);
    }
  }
  const double slope = std::max(std::abs(adjoint), 0.1 * check_.blocks[probe.range].largest);
  const double step = slope > 0 ? std::min(reach, 0.02 * std::abs(check_.loss) / slope) : reach;
  return std::isfinite(step) ? step : 1;  // if all values are 0 and do not affect the loss, any step will do
}

/// A step for values that are all 0 and so have no scale: the first of step, step/2, … that, halved again, changes the
/// slope of the loss by at most a tenth, or the last at which the loss changes by more than rounding.
template <class Loss>
double Comparison::settled(double step, const Loss& loss_at) const {
  constexpr int halvings = 60;
  constexpr double seen = 1e-7;  // of the loss: changes below are mostly rounding
  std::optional<double> whole = loss_at(step);
  for (int k = 0; k < halvings; ++k, step /= 2) {
    const std::optional<double> half = loss_at(step / 2);
    if (half && std::abs(*half - check_.loss) <= seen * std::abs(check_.loss)) break;
    if (whole && half && std::abs(2 * *half - *whole - check_.loss) <= 0.1 * std::abs(*whole - check_.loss)) break;
    whole = half;
  }
  return step;
}

void Comparison::compare(std::size_t p) {
  const Probe& probe = probes_[p];
  const double adjoint = gradient_.dot(probe.direction);
  const bool at_zero = begins_at_zero(probe);
  if (at_zero && probe.direction.minCoeff() < 0) return;  // leaves the allowed range in one of the directions
  int runs = 0;
  const auto loss_at = [&](double step) {
    report(probes_.size(), 28.0 * p + std::min(runs++, 28));
    return loss_of(values_ + step * probe.direction);
  };
  double step = step_of(probe, adjoint);
  if (at_zero && !scenario_.rest_near && !may_start(values_ + step * probe.direction)) return;
  const Range& range = ranges_[probe.range];
  if (range.offset < scenario_.position_offset() && largest_value(range) == 0) step = settled(step, loss_at);
  const auto difference = differentiate(loss_at, step, at_zero);

  judge(probe, adjoint, tangents_[p], difference);
}

/// The larger of two numbers; NaN if one is.
double larger(double a, double b) { return std::isnan(a) || a > b ? a : b; }

void Comparison::judge(const Probe& probe, double adjoint, double tangent,
                       const std::optional<DifferenceEstimate>& difference) {
  // Due to rounding, the response of the loss to a relative change of a value has an error of 1e-14 in derivatives and,
  // after division by the short step, of 1e-8 in differences.
  constexpr double rounding = 1e-14, of_differences = 1e-8;
  GradientBlock& block = check_.blocks[probe.range];
  const double value = largest_value(ranges_[probe.range]);
  const double per_value = (value > 0 ? std::abs(check_.loss) / value : 0) * probe.weight;
  const double scale = block.largest > 0 ? block.largest * probe.weight : per_value > 0 ? per_value : probe.weight;
  const double against_tangent = std::abs(adjoint - tangent) / scale;
  const double against_difference =
      difference ? std::abs(adjoint - difference->value) / scale : std::numeric_limits<double>::infinity();
  const double own_error = difference ? difference->error / scale : 0;
  const double floor = of_differences * per_value / scale, floor_of_tangents = rounding * per_value / scale;
  const auto exceeds = [](double apart, double known) { return std::isnan(apart) || apart > known; };
  if (block.worst.empty() || exceeds(against_difference, block.adjoint_vs_difference) ||
      exceeds(against_tangent, std::max(block.adjoint_vs_tangent, block.adjoint_vs_difference))) {
    const auto unsigned_nan = [](double x) { return std::isnan(x) ? NAN : x; };
    block.worst = probe.name + formatted(": adjoint %.12g, tangent %.12g, difference %.12g", unsigned_nan(adjoint),
                                         unsigned_nan(tangent), difference ? difference->value : NAN);
  }
  block.adjoint_vs_tangent = larger(block.adjoint_vs_tangent, against_tangent);
  block.adjoint_vs_difference = larger(block.adjoint_vs_difference, against_difference);
  block.difference_error = larger(block.difference_error, own_error);
  block.floor = std::max(block.floor, floor);
  // Differences with a large estimated error prove nothing: that error raises the tolerance by at most ten times its
  // value.
  const double allowed = options_.difference_tolerance + std::min(own_error, 10 * options_.difference_tolerance);
  if (exceeds(against_tangent, options_.tangent_tolerance + floor_of_tangents) ||
      exceeds(against_difference, allowed + floor))
    block.verdict = BlockVerdict::Failed;
  else if (block.verdict != BlockVerdict::Failed && against_difference > allowed && floor > allowed)
    block.verdict = BlockVerdict::NotResolved;
  else if (block.verdict == BlockVerdict::Zero)
    block.verdict = BlockVerdict::Ok;
}

/// Sets what a block is as a whole, once its probes are judged.
void conclude(GradientBlock& block) {
  if (block.verdict == BlockVerdict::Zero && block.largest > 0) {  // no probe was possible
    block.verdict = BlockVerdict::NotResolved;
    block.adjoint_vs_tangent = block.adjoint_vs_difference = std::numeric_limits<double>::infinity();
  }
  if (block.verdict != BlockVerdict::Failed && block.largest == 0) block.verdict = BlockVerdict::Zero;
  block.passed = block.verdict != BlockVerdict::Failed;
}

GradientCheck Comparison::run() {
  find_gradient();
  if (!check_.status.ok()) return check_;
  values_ = scenario_.physical_values();
  ranges_ = ranges_of(scenario_);
  probes_ = probes_of(ranges_, gradient_, options_.entries);
  find_tangents();
  for (const Range& r : ranges_)
    check_.blocks.push_back(
        {.name = r.name,
         .size = r.size,
         .largest = r.size > 0 ? gradient_.segment(r.offset, r.size).cwiseAbs().maxCoeff<Eigen::PropagateNaN>() : 0,
         .worst = {}});
  for (std::size_t p = 0; p < probes_.size(); ++p) compare(p);
  for (GradientBlock& block : check_.blocks) conclude(block);
  const bool any = std::ranges::count(check_.blocks, BlockVerdict::Ok, &GradientBlock::verdict) > 0;
  check_.passed = any && std::ranges::all_of(check_.blocks, &GradientBlock::passed);
  check_.crossings = scenario_.model.crossings();
  if (options_.on_progress) options_.on_progress(1);
  return check_;
}

}  // namespace

GradientCheck check_gradient(const Scenario& scenario, const TrajectoryLoss& loss,
                             const GradientCheckOptions& options) {
  return Comparison(scenario, loss, options).run();
}

const char* to_string(BlockVerdict verdict) {
  using enum BlockVerdict;
  return verdict == Ok ? "ok" : verdict == Zero ? "zero" : verdict == NotResolved ? "not resolved" : "failed";
}

void fields(FieldVisitor& v, GradientBlock& block) {
  constexpr BlockVerdict block_verdicts[] = {BlockVerdict::Ok, BlockVerdict::Zero, BlockVerdict::NotResolved,
                                             BlockVerdict::Failed};
  v.is("GradientBlock", "check of one block of physical values");
  v("name", block.name, "of the values, or \"position\" or \"velocity\" of the initial state");
  v("size", block.size, "number of entries");
  v("largest", block.largest, "largest entry of the adjoint gradient");
  v("adjoint_vs_tangent", block.adjoint_vs_tangent, "worst difference, relative to the largest entry");
  v("adjoint_vs_difference", block.adjoint_vs_difference,
    "likewise, against finite differences; null: none could be computed");
  v("difference_error", block.difference_error, "estimated error of the finite differences, likewise");
  v("floor", block.floor, "rounding of the finite differences, likewise");
  v("worst", block.worst, "the entry or direction with the largest disagreement, with its numbers");
  v("verdict", as_word(block.verdict, block_verdicts),
    "\"zero\": no derivative; \"not resolved\": rounding hides whether they agree");
  v("passed", block.passed, "whether it is not \"failed\"");
}

}  // namespace pithball::diff
