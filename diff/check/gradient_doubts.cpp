#include "diff/check/gradient_doubts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <tuple>

#include "diff/rollout/initial_state.hpp"
#include "sim/core/parallel_for.hpp"
#include "sim/core/text.hpp"
#include "sim/force/force_term.hpp"
#include "sim/run/stepper.hpp"

namespace pithball::diff {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

/// Factor by which substeps grow where a force sets in smoothly; doubling the step doubles the required smoothing
/// length.
constexpr double growing_substeps = 2;

/// A touch that spoils derivatives.
struct SpoilingTouch {
  double off = 0;         // relative error of derivatives
  sim::Touch touch = {};  // the touch
  TouchError error = {};  // quantities of its error
  double at = 0;          // time of the touch [s]
  std::string run = {};   // name of the recording
};

/// Touches of one force that spoil derivatives.
struct SpoiledForce {
  Index touches = 0;     // number with an error beyond the limit
  double smoothing = 0;  // needed by all touches that would exceed the limit without smoothing [m]
  double step = inf;     // upper limit of the step, required in addition to the smoothing [s]
  SpoilingTouch worst = {};
  std::string may_split = {};  // name of the integrator if it can end its steps at these touches

  void advise(const TouchError& error) {
    smoothing = std::max(smoothing, error.advised());
    step = std::min(step, error.step);
  }

  void add(const SpoiledForce& other) {
    touches += other.touches;
    smoothing = std::max(smoothing, other.smoothing);
    step = std::min(step, other.step);
    if (!other.may_split.empty()) may_split = other.may_split;
    if (other.worst.off > worst.off) worst = other.worst;
  }
};

/// Spoiled forces by name.
using SpoiledForces = std::map<std::string, SpoiledForce>;

/// Follows the touches of a run from state to state.
class TouchLog {
 public:
  TouchLog(double end, const sim::IntegratorInfo& integrator) : end_(end), integrator_(integrator) {}

  /// Records the touches of the state at the end of a step of length h [s]; with h = 0, the state is the start of the
  /// run, and its touches began earlier.
  void look(const sim::Model& model, const State& s, double h) {
    std::map<Key, Open> present;
    for (std::size_t f = 0; f < model.terms().size(); ++f) {
      const auto* force = model.terms()[f]->as<sim::BeginsAtTouch>();
      if (!force) continue;
      const bool meets = model.terms()[f]->as<sim::MeetsObstacle>();
      force->for_each_touch(model, s, [&](const sim::Touch& touch) {
        const auto here = meets && touch.smoothing == 0 ? integrator_.supports.touches : sim::TouchSteps::Through;
        const Key key{f, touch.i, touch.other};
        const auto before = open_.find(key);
        Open& now = present[key];
        if (before == open_.end()) {
          now = {touch, touch, &force->touching_force(), s.t, h, 0, h > 0, here};
        } else {
          now = before->second;
          now.last = touch;
          now.within = std::max(now.within, h);
        }
      });
    }
    for (const auto& [key, was] : open_)
      if (!present.contains(key)) {
        // Substeps into and out of a smooth contact may be long, as the force is nearly zero there.
        const double longest = was.within > 0 ? was.within : std::max(was.h, h);
        if (was.began) count(was, was.first, {longest, was.since, end_ - was.since});
        count(was, was.last, {longest, s.t, end_ - s.t});
      }
    touches_ += std::ranges::count_if(present, [&](const auto& one) { return !open_.contains(one.first); });
    open_ = std::move(present);
  }

  /// Counts the touches that have not ended when the run ends.
  void close() {
    for (const auto& [key, was] : open_) {
      const double m = was.first.mass, k = was.first.stiffness, left = end_ - was.since;
      if (was.began)
        count(was, was.first,
              {was.within > 0 ? was.within : was.h, was.since, k > 0 ? std::min(left, std::sqrt(m / k)) : left});
    }
  }

  Index touches() const { return touches_; }
  const SpoiledForces& forces() const { return forces_; }

 private:
  using Key = std::tuple<std::size_t, Index, Index>;  // force, particle, touched object
  struct Open {
    sim::Touch first, last;    // at its beginning and at the latest state
    const std::string* force;  // name of its setting
    double since, h;           // time of its beginning, and the step at that time [s]
    double within;             // the longest step between two states of the touch; 0: none [s]
    bool began;                // whether it began during the run
    sim::TouchSteps steps;     // how steps treat the touch
  };
  /// The end of a step in which a touch began or ended.
  struct Crossing {
    double h, at, time;  // longest step of the touch, time of the crossing, and remaining time [s]
  };

  void count(const Open& open, const sim::Touch& touch, const Crossing& now) {
    if (open.steps == sim::TouchSteps::Split) return;
    const double speed = std::abs(touch.normal.dot(touch.velocity));
    if (!(now.h > 0 && speed > 0 && now.time > 0)) return;
    const TouchError error{touch.stiffness, touch.jump, speed, touch.mass, now.h, now.time};
    SpoiledForce& force = forces_[*open.force];
    if (error.sharp() > doubtful_touch_error) force.advise(error.in_tenths());
    const double off = error.smoothed(touch.smoothing);
    if (!(off > doubtful_touch_error)) return;
    const std::string may_split = open.steps == sim::TouchSteps::MaySplit ? integrator_.name : "";
    force.add({1, 0, inf, {off, touch, error, now.at, {}}, may_split});
  }

  double end_;
  const sim::IntegratorInfo& integrator_;
  Index touches_ = 0;
  std::map<Key, Open> open_;
  SpoiledForces forces_;
};

/// Runs the scenario substep by substep until it ends or fails.
TouchLog log_touches(const Scenario& s, const InitialState& start) {
  TouchLog log(start.state().t + s.time_step * static_cast<double>(s.steps), s.integrator.info());
  sim::Stepper stepper(s.model, start.state(), s.integrator, s.stage, s.time_step);
  const bool adaptive = stepper.integrator().info().adaptive;
  // The stages of embedded pairs sample the force at least twice per substep.
  const double sampled = adaptive && !stepper.integrator().info().implicit ? 0.5 : 1;
  log.look(s.model, stepper.state(), 0);
  while (stepper.n() < s.steps) {
    sim::StepTape tape;
    if (stepper.advance(adaptive ? &tape : nullptr).status != sim::StepStatus::Ok) break;
    for (std::size_t k = 1; k < tape.substeps.size(); ++k)
      log.look(stepper.model(), tape.substeps[k].before, sampled * tape.substeps[k - 1].h);
    log.look(stepper.model(), stepper.state(), tape.substeps.empty() ? s.time_step : sampled * tape.substeps.back().h);
  }
  log.close();
  return log;
}

/// Returns the largest growth of a perturbation of all positions, relative to its initial size.
double growth_of(const Scenario& s) {
  Eigen::MatrixXd direction = Eigen::MatrixXd::Zero(s.size(), 1);
  for (Index e = 0; e < 3 * s.model.particles(); ++e)
    direction(s.position_offset() + e, 0) = std::cos(1.0 + 2.0 * static_cast<double>(e));  // not symmetric
  double first = 0, largest = 0;
  run_tangent(s, direction, [&](Index n, const State&, const Eigen::MatrixXd& dx, const Eigen::MatrixXd&) {
    if (n == 0) first = dx.norm();
    largest = std::max(largest, dx.norm());
  });
  return first > 0 ? largest / first : 0;
}

/// Returns a length rounded up to two digits.
std::string rounded_up(double length) {
  const double unit = std::pow(10, std::floor(std::log10(length)) - 1);
  return formatted("%.2g", std::ceil(length / unit) * unit);
}

sim::Doubt doubt_of(const std::string& name, const SpoiledForce& force) {
  const TouchError& e = force.worst.error;
  const std::string jump = e.jump > 0 ? " + F/v" : "";
  const std::string jumps = e.jump > 0 ? formatted(", F = %.3g N, v = %.3g m/s", e.jump, e.speed) : "";
  return {
      (force.worst.run.empty() ? "" : force.worst.run + ": ") + name + " begins within a step: a touch of particle " +
          std::to_string(force.worst.touch.i) +
          formatted(" at t = %.3g s puts derivatives of the motion off by up to %.2g, where those of a free body are "
                    "1 ((k h/2%s) T/m with k = %.3g N/m, h = %.3g s, T = %.3g s, m = %.3g kg%s; %lld such touches)",
                    force.worst.at, force.worst.off, jump.c_str(), e.stiffness, e.step, e.time, e.mass, jumps.c_str(),
                    static_cast<long long>(force.touches)),
      (force.step < e.step ? formatted("take steps of at most %.2g s, a tenth of the contact, and ", force.step) : "") +
          "write `smoothing: " + rounded_up(force.smoothing) + " m` in forces." + name +
          " (contacts then begin that far away; shorter steps need less)" +
          (force.may_split.empty() ? "" : ", or `integrator: {" + force.may_split + ": {split_at_touches: true}}`")};
}

/// Result of one run.
struct RunOfTouches {
  SpoiledForces forces;
  Index touches = 0;
  double growth = 0;  // of a perturbation of the start; computed if no force is spoiled
};

RunOfTouches run_of_touches(const Scenario& s) {
  RunOfTouches run;
  const InitialState start(s);
  if (!start.found()) return run;
  const TouchLog log = log_touches(s, start);
  bool spoiled = false;
  for (const auto& [name, force] : log.forces()) {
    if (force.touches == 0) continue;
    spoiled = true;
    run.forces[name] = force;
    run.forces[name].worst.run = s.name;
    if (s.integrator.info().adaptive) run.forces[name].smoothing *= growing_substeps;
  }
  run.touches = log.touches();
  if (!spoiled && run.touches > 0) run.growth = growth_of(s);
  return run;
}

bool begins_at_touch(const Scenario& s) {
  return std::ranges::any_of(s.model.terms(),
                             [](const auto& term) { return term->abilities().template get<sim::BeginsAtTouch>(); });
}

}  // namespace

double TouchError::sharp() const { return (stiffness * step / 2 + jump / speed) * time / mass; }

double TouchError::smoothed(double w) const {
  const double z = 2 * std::numbers::pi * w / (speed * step);
  return sharp() * std::min(1.0, 540 / std::pow(z, 4));
}

TouchError TouchError::in_tenths() const {
  constexpr double tenth = 9.5;  // for steps divided into tenths, with a margin for rounding
  TouchError finer = *this;
  if (stiffness > 0) finer.step = std::min(step, std::numbers::pi / tenth * std::sqrt(mass / stiffness));
  return finer;
}

double TouchError::advised() const { return 6 * speed * step * std::max(1.0, std::pow(sharp() / 40, 0.25)); }

std::vector<sim::Doubt> find_gradient_doubts(const std::vector<Scenario>& scenarios) {
  std::vector<RunOfTouches> runs(scenarios.size());
  sim::parallel_for(static_cast<Index>(scenarios.size()), inf /* of work: each is a run */, [&](Index s) {
    if (begins_at_touch(scenarios[s])) runs[s] = run_of_touches(scenarios[s]);
  });
  SpoiledForces all;
  for (const RunOfTouches& run : runs)
    for (const auto& [name, force] : run.forces) all[name].add(force);
  std::vector<sim::Doubt> doubts;
  for (const auto& [name, force] : all) doubts.push_back(doubt_of(name, force));
  const auto most = std::ranges::max_element(runs, {}, &RunOfTouches::growth);
  if (!doubts.empty() || most == runs.end() || !(most->growth > useless_growth)) return doubts;
  const std::string& recording = scenarios[most - runs.begin()].name;
  return {
      {(recording.empty() ? "" : recording + ": ") +
           formatted("a change of the start grows %.2g-fold over %lld touches: derivatives are right, and of no use "
                     "but for changes that are that much smaller than the motion",
                     most->growth, static_cast<long long>(most->touches)),
       "end the run earlier, or fit the early frames alone (frames: {to: …})"}};
}

}  // namespace pithball::diff
