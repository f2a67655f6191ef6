#pragma once
// The five-particle charged spring system of tests/reference/charged_springs.json (50-digit values of an independent
// program).
#include <fstream>
#include <nlohmann/json.hpp>

#include "sim/coulomb/direct/direct_coulomb_sum.hpp"
#include "sim/force/coulomb_force.hpp"
#include "sim/force/gravity.hpp"
#include "sim/force/spring_force.hpp"
#include "sim/model/model.hpp"
#include "tests/support/places.hpp"

namespace pithball::tests {

inline const nlohmann::json& reference() {
  static const nlohmann::json file =
      nlohmann::json::parse(std::ifstream(pithball::tests::in_sources("tests/reference/charged_springs.json")));
  return file;
}

inline sim::Points points_of(const nlohmann::json& rows) {
  sim::Points points(3, static_cast<sim::Index>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (int a = 0; a < 3; ++a) points(a, i) = rows[i][a];
  return points;
}

inline sim::Vector vector_of(const nlohmann::json& list) {
  sim::Vector v(static_cast<sim::Index>(list.size()));
  for (std::size_t i = 0; i < list.size(); ++i) v[i] = list[i];
  return v;
}

/// The system with the vertices of a case pinned.
inline sim::Model reference_model(const nlohmann::json& pinned) {
  const auto& system = reference().at("system");
  sim::Topology topology{.particles = 5, .springs = {}, .held = {}};
  for (const auto& edge : system.at("springs")) topology.springs.push_back({edge[0], edge[1]});
  for (const auto& i : pinned) topology.held.push_back({i, {}});
  std::vector<std::shared_ptr<sim::ForceTerm>> terms{
      std::make_shared<sim::SpringForce>(vector_of(system.at("stiffness")), vector_of(system.at("rest_length"))),
      std::make_shared<sim::CoulombForce>(std::make_unique<sim::DirectCoulombSum>()),
      std::make_shared<sim::Gravity>(sim::Vec3(vector_of(system.at("gravity"))))};
  return sim::Model(topology, vector_of(system.at("mass")), vector_of(system.at("charge")), terms);
}

inline sim::State reference_state() {
  const auto& system = reference().at("system");
  return {0, points_of(system.at("positions")), points_of(system.at("velocities"))};
}

}  // namespace pithball::tests
