#include "sim/integrator/embedded_runge_kutta.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "sim/core/text.hpp"
#include "sim/integrator/substeps.hpp"

namespace pithball::sim {
namespace {

/// Returns the depths of all gaps at a state [m].
std::vector<double> depths(const Model& model, const State& s) {
  std::vector<double> all;
  for_each_gap(model, s, [&](const MeetsObstacle&, const WallGap& gap) { all.push_back(gap.depth); });
  return all;
}

bool differ(double depth, double other) { return (depth > 0) != (other > 0); }

/// A length of the substep and the gap depths at its end.
struct Bracket {
  double length;
  std::vector<double> depths;
};

bool differ(const Bracket& a, const Bracket& b) {
  return !std::ranges::equal(a.depths, b.depths, [](double x, double y) { return !differ(x, y); });
}

/// Returns the end of the first eighth of the course at which the touches differ from those at its beginning; empty if
/// they never do. Tests intermediate points on a cubic interpolant, which takes no force evaluations, and confirms only
/// differences.
std::optional<Bracket> find_other(const Model& model, const Course& course, const Bracket& begin) {
  constexpr int eighths = 8;
  for (int k = 1; k < eighths; ++k) {
    const double part = static_cast<double>(k) / eighths, length = part * course.h;
    const State seen{course.begin.t + length, on_the_way(course.begin, course.end, part), course.begin.v};
    if (!differ(begin, {length, depths(model, seen)})) continue;
    Bracket there{length, depths(model, course.at(length))};
    if (differ(begin, there)) return there;
  }
  Bracket end{course.h, depths(model, course.end)};
  return differ(begin, end) ? std::optional(std::move(end)) : std::nullopt;
}

/// Returns the length after which the first of the differing touches begins or ends, if depths vary linearly in
/// between.
double secant(const Bracket& low, const Bracket& high) {
  double first = high.length;
  for (std::size_t k = 0; k < low.depths.size(); ++k) {
    const double a = low.depths[k], b = high.depths[k];
    if (differ(a, b)) first = std::min(first, low.length + (high.length - low.length) * (a / (a - b)));
  }
  return first;
}

}  // namespace

bool meets_obstacles(const Model& model) {
  return std::ranges::any_of(model.terms(), [](const auto& term) { return bool(term->template as<MeetsObstacle>()); });
}

void for_each_gap(const Model& model, const State& s,
                  const std::function<void(const MeetsObstacle&, const WallGap&)>& visit) {
  for (const auto& term : model.terms())
    if (const auto* force = term->as<MeetsObstacle>())
      force->for_each_gap(model, s, [&](const WallGap& gap) { visit(*force, gap); });
}

bool touches_differ(const Model& model, const State& s, const State& other) {
  return differ(Bracket{0, depths(model, s)}, Bracket{0, depths(model, other)});
}

std::optional<double> TouchChanges::find_next(const Model& model, const Course& course) {
  const std::vector<double> first = depths(model, course.begin);
  Bracket low{0, first};
  auto end = find_other(model, course, low);
  if (!end) return {};
  Bracket high = std::move(*end);
  constexpr double rounding = std::numeric_limits<double>::epsilon();
  double guess = secant(low, high), width = high.length;
  bool raised_low = false;
  for (int tries = 0; high.length - low.length > rounding * course.h; ++tries) {
    // Secants approach the root from one side. A point slightly beyond the guess, by twice its last move, should lie on
    // the other side.
    const double moved = guess;
    guess = secant(low, high);
    const double beyond = std::max(2 * std::abs(guess - moved), rounding * course.h);
    double length = tries == 0 ? guess : guess + (raised_low ? beyond : -beyond);
    // If three secants do not halve the bracket, bisect it.
    const bool slow = tries % 3 == 2 && high.length - low.length > width / 2;
    if (tries % 3 == 2) width = high.length - low.length;
    if (slow || !(length > low.length && length < high.length)) length = (low.length + high.length) / 2;
    if (!(length > low.length && length < high.length)) break;
    Bracket tried{length, depths(model, course.at(length))};
    raised_low = !differ(low, tried);
    (raised_low ? low : high) = std::move(tried);
  }
  of_gap_.resize(first.size(), 0);
  for (std::size_t k = 0; k < first.size(); ++k) of_gap_[k] += differ(first[k], high.depths[k]);
  return high.length;
}

bool TouchChanges::too_many() const {
  return std::ranges::any_of(of_gap_, [](int changes) { return changes > most_of_a_gap; });
}

namespace {

/// An embedded pair whose result has this order.
IntegratorInfo embedded_pair(const char* name, const char* summary, int order, int stages) {
  return {.name = name,
          .summary = summary,
          .position_order = order,
          .velocity_order = order,
          .force_evaluations = stages,
          .supports = {.tracers = true, .touches = TouchSteps::MaySplit},
          .adaptive = true};
}

/// A step that requires substeps shorter than this fraction of its length has met a singularity: a force that sets in
/// abruptly is resolved by substeps of about `tolerance` · h.
constexpr double least_substep = 1e-12;

/// The error limit of a particle is at least that of one that moves at this fraction of the highest speed. Thus a small
/// slow part of a body is resolved on its own scale, but distant particles that only begin to respond to the motion of
/// others are not.
constexpr double least_share = 1e-6;

/// Rounding error of the difference between two sums of a few numbers of the size of the coordinates, in multiples of
/// machine epsilon.
constexpr double roundings = 16;

}  // namespace

const std::vector<RungeKuttaTableau>& embedded_tableaux() {
  static const std::vector<RungeKuttaTableau> tableaux{
      // Heun's method with an embedded Euler method.
      {embedded_pair("heun_euler", "substeps with error control, second order: for non-smooth forces", 2, 2),
       {{}, {1}},
       {1 / 2.0, 1 / 2.0},
       {1, 0}},
      // Bogacki and Shampine 1989.
      {embedded_pair("bogacki_shampine", "substeps with error control, third order: for moderate tolerances", 3, 4),
       {{}, {1 / 2.0}, {0, 3 / 4.0}, {2 / 9.0, 1 / 3.0, 4 / 9.0}},
       {2 / 9.0, 1 / 3.0, 4 / 9.0, 0},
       {7 / 24.0, 1 / 4.0, 1 / 3.0, 1 / 8.0}},
      // Dormand and Prince 1980, table 2.
      {embedded_pair("dormand_prince",
                     "substeps with error control, fifth order: for close encounters and reference solutions", 5, 7),
       {{},
        {1 / 5.0},
        {3 / 40.0, 9 / 40.0},
        {44 / 45.0, -56 / 15.0, 32 / 9.0},
        {19372 / 6561.0, -25360 / 2187.0, 64448 / 6561.0, -212 / 729.0},
        {9017 / 3168.0, -355 / 33.0, 46732 / 5247.0, 49 / 176.0, -5103 / 18656.0},
        {35 / 384.0, 0, 500 / 1113.0, 125 / 192.0, -2187 / 6784.0, 11 / 84.0}},
       {35 / 384.0, 0, 500 / 1113.0, 125 / 192.0, -2187 / 6784.0, 11 / 84.0, 0},
       {5179 / 57600.0, 0, 7571 / 16695.0, 393 / 640.0, -92097 / 339200.0, 187 / 2100.0, 1 / 40.0}},
  };
  return tableaux;
}

EmbeddedRungeKutta::Options EmbeddedRungeKutta::read(Settings& settings) {
  Options options;
  options.tolerance = settings.number(
      "tolerance", "", "requested error of a substep, relative to the motion (docs/integrators.md)", options.tolerance);
  if (!(options.tolerance > 0))
    settings.reject("tolerance", "must be > 0", to_text(options.tolerance), "1e-7 is usual");
  options.max_step = read_max_step(settings);
  options.split_at_touches = settings.flag("split_at_touches",
                                           "end substeps where particles begin and cease to touch obstacles, so that "
                                           "derivatives through touches are right",
                                           options.split_at_touches);
  return options;
}

EmbeddedRungeKutta::EmbeddedRungeKutta(const RungeKuttaTableau& tableau, const Options& options)
    : tableau_(tableau), options_(options), nodes_{{}, tableau.b}, info_(tableau.info) {
  for (std::size_t i = 0; i < tableau.stages(); ++i) nodes_.nodes.push_back(tableau.node(i));
  if (options.split_at_touches) info_.supports.touches = TouchSteps::Split;
}

EmbeddedRungeKutta::Times EmbeddedRungeKutta::times(const Model& model, const State& s, const Points& a,
                                                    double h) const {
  const auto within = [&](double time) { return std::clamp(time, h * least_substep, h); };
  return {within(shortest_time(model, s, a, every_term)), within(time_to_touch(model, s, a) / 2)};
}

double EmbeddedRungeKutta::error(const State& s, const RungeKuttaStep& step, double tau, double time,
                                 TimeProbe& probe) const {
  for (const Points* part : {&step.end.x, &step.end.v, &step.position_error, &step.velocity_error})
    if (!part->allFinite()) return std::numeric_limits<double>::quiet_NaN();
  const auto norms = [](const Points& p) { return p.colwise().norm().transpose().array().eval(); };
  Eigen::ArrayXd u = norms(s.v).max(norms(step.end.v)) + time / tau * norms(step.end.v - s.v);
  Eigen::ArrayXd ex = norms(step.position_error), ev = norms(step.velocity_error);
  if (probe.looks()) {
    const Eigen::ArrayXd missed = probe.missed(s, step.end, nodes_).array();
    if (probe.of_tracers()) {
      ex = ex.max(missed);
    } else {
      ev = ev.max(missed);
      u = u.max(probe.impulse().array());
    }
  }
  const Eigen::ArrayXd granted = options_.tolerance * u.max(least_share * u.maxCoeff());
  const double rounding = roundings * std::numeric_limits<double>::epsilon() * s.x.cwiseAbs().maxCoeff();
  double worst = 0;
  for (Index i = 0; i < u.size(); ++i) {
    if (ex[i] > 0) worst = std::max(worst, ex[i] / (time * granted[i] + rounding));
    if (ev[i] > 0) worst = std::max(worst, ev[i] / (granted[i] + rounding / time));
  }
  return worst;
}

namespace {

/// Makes the substeps of one step: attempts each, and accepts it up to the first time at which a touch begins or ends.
class SubstepMaker {
 public:
  /// Starts at `s`, which it advances.
  SubstepMaker(const RungeKuttaTableau& tableau, const Model& model, const TimeStep& step, State& s, StepOutput& out)
      : tableau_(tableau), model_(model), step_(step), beginning_(s.t), s_(s), out_(out) {}

  /// From now on, substeps end where touches begin or end.
  void split() { held_ = model_.holding_touches(s_); }

  double left() const { return step_.h - done_; }
  /// Whether a substep reaches the end of the step, up to rounding of the sum.
  bool is_last(double tau) const { return done_ + tau >= step_.h * (1 - 1e-12); }

  RungeKuttaStep attempt(double tau, bool last) {
    out_.record.work.force_evaluations += static_cast<int>(tableau_.stages());
    return runge_kutta_step(tableau_, held_ ? *held_ : model_, {tau, last ? step_.end : beginning_ + (done_ + tau)}, s_,
                            out_.book != nullptr);
  }

  /// Accepts an attempt, or only the part before a touch begins or ends; returns the length of the rest in that case
  /// [s].
  std::optional<double> take(double tau, RungeKuttaStep made) {
    const auto change =
        held_ ? changes_.find_next(*held_, {s_, made.end, tau, [&](double part) { return attempt(part, false).end; }})
              : std::nullopt;
    if (!change) {
      accept(tau, std::move(made));
      changes_ = {};
      return {};
    }
    accept(*change, attempt(*change, false));
    held_ = model_.holding_touches(s_);
    if (changes_.too_many()) out_.record.status = StepStatus::NotConverged;
    return tau - *change;
  }

 private:
  void accept(double tau, RungeKuttaStep made) {
    if (out_.book) {
      out_.book->add(1, made.losses);
      book_surroundings(model_, s_, made.end, tableau_.info.position_order, *out_.book);
    }
    if (out_.tape)
      out_.tape->substeps.push_back({.h = tau,
                                     .before = s_,
                                     .after = held_ ? made.end : State{},
                                     .history_before = {},
                                     .stages = {},
                                     .holds_touches = held_.has_value()});
    s_ = std::move(made.end);
    done_ += tau;
    out_.record.substeps.push_back(tau);
  }

  const RungeKuttaTableau& tableau_;
  const Model& model_;
  const TimeStep step_;
  const double beginning_;
  State& s_;
  StepOutput& out_;
  double done_ = 0;
  std::optional<Model> held_;  // with the touches of s; empty: substeps are not split
  TouchChanges changes_;
};

}  // namespace

void EmbeddedRungeKutta::do_step(const Model& model, const TimeStep& step, State& s, History&, StepOutput& out) {
  const double h = step.h, beginning = s.t, exponent = -1.0 / tableau_.info.position_order;
  SubstepMaker maker(tableau_, model, step, s, out);
  if (options_.split_at_touches && meets_obstacles(model)) maker.split();
  if (const auto frozen = memory_ ? memory_->find(beginning) : std::nullopt) {
    for (const double& tau : *frozen)
      for (std::optional<double> left = tau; left && out.record.status == StepStatus::Ok;)
        left = maker.take(*left, maker.attempt(*left, &tau == &frozen->back()));
    return;
  }
  const double resolved = 4 * roundings * std::numeric_limits<double>::epsilon() * std::abs(step.end);
  if (h < resolved) {  // the part around a sudden jump: too short for an error estimate
    for (std::optional<double> left = h; left && out.record.status == StepStatus::Ok;)
      left = maker.take(*left, maker.attempt(*left, true));
    return;
  }
  TimeProbe probe(model, beginning, step);
  std::vector<double> planned;  // substeps, whether touches split them or not
  double taken = 0;             // completed part of the planned substep in progress
  std::optional<Times> known;   // at s
  for (double next = std::min(h, options_.max_step);;) {
    const bool last = maker.is_last(next);
    const double tau = last ? maker.left() : next;
    RungeKuttaStep made = maker.attempt(tau, last);
    if (!known) known = times(model, s, made.acceleration, h);
    const double longest = std::min({known->touch, options_.max_step, probe.reach(s.t, h * 1e-9)});
    if (tau > longest * (1 + 1e-9)) {
      next = longest;
      continue;
    }
    const double e = error(s, made, tau, known->change, probe);
    const bool tiny = tau < h * least_substep;  // remainder after a touch began or ended
    // Without an error estimate (a stage was not finite), a much shorter step may succeed.
    next = tiny ? maker.left() : tau * (std::isnan(e) ? 0.2 : std::clamp(0.9 * std::pow(e, exponent), 0.2, 5.0));
    const bool accepted = e <= 1 || tiny;
    if (accepted) {
      const std::optional<double> left = maker.take(tau, std::move(made));
      if (out.record.status != StepStatus::Ok) return;
      known.reset();
      taken += tau - left.value_or(0);
      if (left) {
        next = *left;
        continue;
      }
      planned.push_back(std::exchange(taken, 0));
      if (last) break;
    } else if (probe.looks()) {
      probe.remember();
    }
    next = std::min(next, options_.max_step);
    if (next < h * least_substep) {
      if (!accepted) s = std::move(made.end);
      out.record.status = std::isnan(e) ? StepStatus::Diverged : StepStatus::NotConverged;
      return;
    }
  }
  if (memory_) memory_->keep(beginning, planned);
}

}  // namespace pithball::sim
