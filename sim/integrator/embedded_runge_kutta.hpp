#pragma once
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "sim/core/settings.hpp"
#include "sim/integrator/runge_kutta.hpp"
#include "sim/integrator/substeps.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {

/// Whether a force of the model begins where particles touch obstacles, so that steps can end there.
bool meets_obstacles(const Model&);

/// Calls visit(force, gap) for the gaps of all forces, in the same order at all states of a model.
void for_each_gap(const Model&, const State&, const std::function<void(const MeetsObstacle&, const WallGap&)>& visit);

/// Whether a particle touches an obstacle at one of two states only.
bool touches_differ(const Model&, const State&, const State& other);

/// A part of a step as a function of its length: `at(τ)` is the state after the part that is τ [s] long.
struct Course {
  const State& begin;               ///< at(0)
  const State& end;                 ///< at(h)
  double h;                         ///< longest part [s]
  std::function<State(double)> at;  ///< for 0 < τ < h
};

/// Finds where touches with obstacles begin and end within one step, in parts that each begin where the last one ended.
class TouchChanges {
 public:
  /// A step in which one touch changes more often than this does not resolve its contact: a contact that is resolved
  /// lasts for several steps.
  static constexpr int most_of_a_gap = 8;

  /// The length of the course up to the first change of a touch [s], to rounding; empty if none changes. Touches are
  /// compared at each eighth of the course, so that a touch that begins and ends between two of them is missed. Several
  /// touches that change at the same time are one change.
  std::optional<double> find_next(const Model&, const Course&);

  /// Whether a gap has changed too often.
  bool too_many() const;

 private:
  std::vector<int> of_gap_;  // changes so far
};

/// The pairs of the family, in the order of the documentation: `heun_euler`, `bogacki_shampine`, `dormand_prince`.
const std::vector<RungeKuttaTableau>& embedded_tableaux();

/// An explicit Runge–Kutta pair with error control: a step h consists of as many substeps as the tolerance requires
/// (Hairer, Nørsett and Wanner 1993, II.4). The error scale comes from the motion: with T the shortest time in which a
/// force changes at the beginning of a substep τ (`shortest_time`) and θ = min(h, T), particle i has the speed
///   u_i = max(|v_i|, |v_i⁺|) + θ |v_i⁺ − v_i|/τ.
/// The substep is accepted if its result and that of the embedded method, one order lower, differ for every particle by
/// at most `tolerance` · u_i in velocity and `tolerance` · θ u_i in position; a particle that hardly moves is allowed a
/// millionth of the fastest particle's u, and every particle the rounding of its coordinates. The same holds for the
/// impulse of pulses that the stages missed according to a `TimeProbe`, with u_i no less than the impulse that it
/// found. The next substep, or the next attempt, has
///   τ ← τ · clamp(0.9 e^(−1/p), 0.2, 5),   e the largest ratio of difference to tolerance, p the order of the
///   result,
/// and at most half the time in which particles meet (`time_to_touch`), the time until the probe's largest value, and
/// `max_step`. With `split_at_touches` a substep in which a particle begins or ceases to touch an obstacle ends there,
/// to rounding, and the next one leads to where it would have ended: with those, forces that begin at once
/// (`MeetsObstacle`) are smooth in each substep. The result is that of the higher-order method. The first attempt of
/// every step is the whole step, so that a step is a function of the state alone. Accepted substeps are in the step
/// record and on the tape.
class EmbeddedRungeKutta final : public Integrator {
 public:
  /// Settings of the integrator.
  struct Options {
    double tolerance = 1e-7;                                    ///< of a particle's speed, > 0
    double max_step = std::numeric_limits<double>::infinity();  ///< longest substep [s], > 0
    bool split_at_touches = false;                              ///< whether substeps end where touches begin and end
  };
  /// Reads `tolerance`, `max_step` and `split_at_touches`.
  static Options read(Settings& settings);

  /// Keeps a reference to the tableau, one of `embedded_tableaux()`.
  EmbeddedRungeKutta(const RungeKuttaTableau& tableau, const Options& options);
  const IntegratorInfo& info() const override { return info_; }
  void freeze(std::shared_ptr<SubstepMemory> memory) override { memory_ = std::move(memory); }

 private:
  void do_step(const Model&, const TimeStep&, State&, History&, StepOutput&) override;
  /// Time scales of the motion at the beginning of a substep.
  struct Times {
    double change,  ///< θ [s]
        touch;      ///< in which particles meet [s]
  };
  Times times(const Model&, const State&, const Points& a, double h) const;
  /// Largest ratio of difference to tolerance for a substep τ [s] from this state; NaN if a result is not finite.
  /// `time`: θ [s].
  double error(const State&, const RungeKuttaStep&, double tau, double time, TimeProbe&) const;
  const RungeKuttaTableau& tableau_;
  Options options_;
  TimeQuadrature nodes_;
  IntegratorInfo info_;
  std::shared_ptr<SubstepMemory> memory_;
};

}  // namespace pithball::sim
