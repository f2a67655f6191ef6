#pragma once
// One model for every way to configure a constraint of the registry, and what tests of constraints do with it.
#include <map>

#include "sim/constraint/constraint_registry.hpp"
#include "sim/model/model.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/map_settings.hpp"

namespace pithball::tests::constraint_suite {

using namespace pithball::sim;

inline constexpr Index N = 6;

/// Six points in general position; no two are close.
inline Points drawn() {
  Points x(3, N);
  x << 0.1, 1.2, 0.3, 0.2, 1.1, -0.4,  //
      -0.2, 0.1, 1.1, 0.3, 0.9, 0.4,   //
      0.05, 0.2, -0.1, 1.3, 1.0, -0.9;
  return x;
}

/// The points and their velocities after a while, so that no condition is met.
inline State moved() {
  State s{0.3, drawn(), Points(3, N)};
  for (Index k = 0; k < s.x.size(); ++k) {
    s.x.data()[k] += 0.15 * std::sin(2.3 * k + 1);
    s.v.data()[k] = 0.8 * std::cos(1.7 * k);
  }
  return s;
}

/// A model with one constraint.
struct Specimen {
  std::string name;
  Model model;
  const Constraint& constraint() const { return *model.constraints().front(); }
  std::vector<ConstraintRow> rows(const Points& x) const {
    std::vector<ConstraintRow> found;
    constraint().add_rows(model, x, Vector::Zero(N), found);
    return found;
  }
};

inline Specimen specimen(const std::string& name, std::shared_ptr<Constraint> constraint, const Scale& scale = {}) {
  return {name,
          Model({.particles = N, .springs = {}, .held = {}}, scale.of("kg") * Vector{{0.5, 0.8, 1.1, 0.9, 0.6, 0.7}},
                Vector::Zero(N), {}, {std::move(constraint)})};
}

/// Every constraint of the registry in each of its ways, at a scale.
inline std::vector<Specimen> specimens(const Scale& scale = {}) {
  using Value = MapSettings::Value;
  const std::vector<Spring> links{{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 4}};
  const std::vector<Index> some{1, 4};
  const Surface tetrahedron{(Points(3, 4) << 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2).finished(),
                            {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}}};
  const std::map<std::string, std::vector<std::map<std::string, Value>>> settings{
      {"distance",
       {{{"edges", links}},
        {{"edges", links},
         {"rest_length", Vector{{0.9, 1.4, 0.0, 1.2, 0.7}}},
         {"compliance", Vector{{0.02, 0.05, 0.01, 0.1, 0.03}}},
         {"damping", Vector{{0.5, 0, 1.5, 0.3, 0.8}}}}}},
      {"pin",
       {{{"vertices", some}},
        {{"vertices", some}, {"compliance", Vector{{0.02, 0.1}}}, {"damping", Vector{{0.4, 0.9}}}}}},
      {"spheres", {{{"radius", Vector{{0.7, 0.9, 0.6, 0, 0.8, 0.7}}}, {"restitution", 0.5}, {"friction", 0.2}}}},
      {"plane",
       {{{"point", Vec3(0.2, 0.1, 0.3)}, {"normal", Vec3(1, 2, 2)}},
        {{"vertices", some},
         {"normal", Vec3(-1, 0, 0.5)},
         {"radius", Vector{{0.1, 0.2, 0, 0, 0.3, 0}}},
         {"friction", 0.3}}}},
      {"box",
       {{{"min", Vec3(-0.1, 0.2, 0)}, {"max", Vec3(0.7, 0.8, 1.1)}},
        {{"min", Vec3(-0.5, -0.5, -0.6)}, {"max", Vec3(1, 2, 2)}, {"side", "outside"}}}},
      {"mesh",
       {{{"surface", tetrahedron}},
        {{"surface", tetrahedron}, {"side", "inside"}, {"radius", Vector{{0.05, 0.1, 0, 0, 0.1, 0}}}}}},
  };
  std::vector<Specimen> list;
  for (const ConstraintInfo& info : constraints()) {
    INFO("add settings for " << info.name << " to this list");
    REQUIRE(settings.count(info.name) == 1);
    for (const auto& values : settings.at(info.name)) {
      MapSettings map(N, values, scale);
      list.push_back(specimen(info.name, info.make(map, scale.places(drawn())), scale));
      REQUIRE(list.back().constraint().traits().name == info.name);
      REQUIRE((list.back().constraint().as<DifferentiableRows>() != nullptr) == info.differentiable);
    }
  }
  return list;
}

}  // namespace pithball::tests::constraint_suite
