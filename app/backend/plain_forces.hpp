#pragma once
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sim/model/model.hpp"

namespace pithball::app {

using sim::Vector;

/// A static point charge that is not a particle of the body.
struct RestingCharge {
  double charge = 0;   ///< [C]
  sim::Vec3 position;  ///< [m]
};

/// The forces of a model, for a program that supports only undamped springs, charges and uniform fields; and the names
/// of everything that such a program does not support.
struct PlainForces {
  bool springs = false;                        ///< with the model's values `stiffness` and `rest_length`
  bool coulomb = false;                        ///< the body's charges act on each other
  double softening = 0;                        ///< ε of that force [m]
  std::vector<RestingCharge> resting_charges;  ///< that act on the body's charges
  std::vector<sim::Vec3> gravity;              ///< [m/s²]
  std::vector<sim::Vec3> electric_field;       ///< uniform ones [V/m]
  Vector drag;                                 ///< c of each particle in F = −c v [kg/s]
  /// What is not supported, by name, and what happens instead: "driven particles: they stay at their initial
  /// positions".
  std::map<std::string, std::string> missing;

  /// The forces as they are at the time [s].
  PlainForces(const sim::Model& model, double time);

 private:
  void translate(const sim::Model& model, const sim::ForceTerm& term, double time);
  void miss(const std::string& name, const std::string& what, const std::string& instead);
};

/// A body of masses, springs and charges in uniform fields, as the class `Body` of app/backend/jax_md/serve.py reads
/// it: lists of numbers in SI units. What `PlainForces` misses is left out.
nlohmann::json body_json(const sim::Model& model, const sim::State& start);

/// Points as rows of three numbers.
nlohmann::json rows_json(const sim::Points& points);

}  // namespace pithball::app
