#pragma once
#include <array>
#include <memory>
#include <mutex>

#include "sim/force/decorated_force.hpp"
#include "sim/model/values.hpp"

namespace pithball::sim {

class Model;

/// A cache of the last models `Model::at(t)` of a model with key frames, shared by the forces of one stage and the
/// products of a linear solve. Thread-safe.
class ModelsInTime {
 public:
  ModelsInTime();
  ~ModelsInTime();
  /// `model.at(t)` at t [s], made once for values that `model` and its copies share.
  Model at(const Model& model, double t);

 private:
  struct Made;
  static constexpr std::size_t kept = 8;  // a few for each of several threads
  std::mutex mutex_;
  std::array<std::unique_ptr<const Made>, kept> made_;
  std::size_t next_ = 0;
};

/// A force of a model with key frames: the decorated force, evaluated with the values at each state's time. Integrators
/// evaluate every force at the time of its stage, so a step keeps its order while values change, and derivatives are
/// those of the step. The energy uses the present values, whose change does work on the body.
class KeyFramedForce final : public DecoratedForce {
 public:
  /// models: shared by the forces of one model. Values are constant before the time `from` [s] and after `until`.
  KeyFramedForce(std::shared_ptr<const ForceTerm> force, std::shared_ptr<ModelsInTime> models, double from,
                 double until)
      : DecoratedForce(std::move(force)), models_(std::move(models)), from_(from), until_(until) {}

  /// True even if only values change with time, because it is not known which of them the force uses.
  bool changes_between(double from, double to) const override;
  void add_jvp(const Model&, const State&, const Variation& d, Points& df) const override;
  void add_vjp(const Model&, const State&, const Points& w, Variation& g) const override;
  /// Includes the changes of the values at the state's time, as interpolated between keys and as charges leak.
  void flow_velocity_jvp(const Model&, const State&, double h, const Variation& d, Points& dv) const override;
  /// Moves ∂L/∂values from the values at the state's time to their keys, and to leaking charges at the start and their
  /// rate.
  void flow_velocity_vjp(const Model&, const State&, double h, const Points& a, Variation& g) const override;
  /// Includes the change of the values at the state's time.
  double depth_jvp(const Model&, const State&, const WallGap&, const Variation& d) const override;
  /// Moves ∂L/∂values from the values at the state's time to their keys.
  void add_depth_vjp(const Model&, const State&, const WallGap&, double w, Variation& g) const override;
  /// Uses the largest values over time, an upper bound at all times.
  void add_stiffness_majorizer(const Model&, double scale, Majorizer& L) const override;
  /// Uses the largest values over time, an upper bound at all times.
  void add_damping_majorizer(const Model&, double scale, Majorizer& L) const override;

 private:
  Model seen(const Model&, double t) const override;
  std::shared_ptr<ForceTerm> before(std::shared_ptr<const ForceTerm> other) const override;

  std::shared_ptr<ModelsInTime> models_;
  double from_, until_;
};

}  // namespace pithball::sim
