#pragma once
// One model for every way to configure a force of the registry, and what tests of forces do with it.
#include <algorithm>
#include <map>
#include <random>

#include "sim/force/chain_bending.hpp"
#include "sim/force/force_registry.hpp"
#include "sim/force/spring_damper.hpp"
#include "sim/force/spring_force.hpp"
#include "sim/linear/block_matrix.hpp"
#include "sim/model/model.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/map_settings.hpp"

namespace pithball::tests::force_suite {

using namespace pithball::sim;

inline constexpr Index N = 6;
inline const std::vector<Spring> edges{{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 4}, {4, 0}, {1, 4}};

/// A model with one kind of force.
struct Specimen {
  std::string name;
  Model model;
};

inline Vector specimen_masses() { return Vector{{0.5, 0.8, 1.1, 0.9, 0.6, 0.7}}; }
inline Vector specimen_charges() { return Vector{{2e-6, -3e-6, 5e-6, 1e-6, -4e-6, 3e-6}}; }

inline Specimen specimen(const std::string& name, std::vector<std::shared_ptr<ForceTerm>> terms,
                         const Scale& scale = {}) {
  REQUIRE(!terms.empty());
  return {name, Model({.particles = N, .springs = edges, .held = {}}, scale.of("kg") * specimen_masses(),
                      scale.of("C") * specimen_charges(), std::move(terms))};
}

/// Tabulated fields whose nodes are far apart, since a difference across a node sees the third derivative jump: 12
/// nodes over s = −8 … 9 m, switched off 0.2 s ago with a time constant, and 4×4×4 nodes.
inline std::map<std::string, MapSettings::Value> field_of_a_line() {
  Eigen::MatrixXd table(12, 2);
  table.col(0) = Vector::LinSpaced(12, -8.1, 9.17);
  table.col(1) = 1e5 * (0.8 * table.col(0).array() + 0.3).sin();
  return {{"table", FileOfNumbers{table}}, {"scale", 1.0}, {"potential_scale", 1.0},
          {"axis", Vec3(1, 2, -2)},        {"from", -1.0}, {"until", 0.1},
          {"time_constant", 0.8}};
}
inline std::map<std::string, MapSettings::Value> field_of_a_grid() {
  Eigen::MatrixXd table(64, 4);
  for (Index k = 0; k < 64; ++k) {
    const Vec3 x(-3.13 + 2.37 * (k % 4), -3.39 + 2.51 * (k / 4 % 4), -3.47 + 2.43 * (k / 16));
    table.row(k) << x.transpose(), 1e5 * std::sin(x[0] + 0.5 * x[1]) * std::cos(0.7 * x[2] + 0.2);
  }
  return {{"table", FileOfNumbers{table}}, {"scale", 1.0}, {"potential_scale", 1.0}};
}

/// A body of three triangles with two hinges, and the edges of a chain with three turns on it.
inline Surface bent_body() {
  return {
      (Points(3, N) << 0.1, 1.1, 0, -0.1, 0.9, 0.2, 0, 0.1, 1.2, -0.1, 0.3, 0.9, 0.1, 0, 0.1, 0.8, 1.1, 1).finished(),
      {{0, 1, 2}, {1, 0, 3}, {2, 1, 4}}};
}
inline const std::vector<Spring> chain{{0, 1}, {1, 4}, {3, 4}, {3, 5}};

/// Every force of the registry in each of its ways, and the springs and dampers that come with a body, at a scale.
inline std::vector<Specimen> specimens(const Scale& scale = {}) {
  using Value = MapSettings::Value;
  const Vector c1{{0.3, 0.2, 0, 0.5, 0.1, 0.4}}, c2{{0.1, 0, 0.4, 0.2, 0.3, 0.6}},
      spheres{{0.6, 0.5, 0.7, 0.4, 0.55, 0.65}};
  // A smooth field that varies in space and time.
  const std::map<std::string, Value> swirling{
      {"expression", std::vector<std::string>{"1.3*(sin(y) + t)", "1.3*x*z", "1.3*(cos(x) - y)"}}};
  const std::map<std::string, Value> strong_swirl{
      {"expression", std::vector<std::string>{"4e5*(sin(y) + t)", "4e5*x*z", "4e5*(cos(x) - y)"}}};
  const Value swirl = MapSettings::mapping(swirling), even = MapSettings::mapping({{"uniform", Vec3(0.4, -0.2, 0.7)}});
  // About a switch at the time of the states, 0.3 s.
  const Value switched = MapSettings::mapping({{"field", Vec3(4e5, -2e5, 7e5)},
                                               {"factors", Vector{{0.4, 1.3, -0.6}}},
                                               {"times", Vector{{0.25, 1.1}}},
                                               {"rise", 0.4}});
  // The unit of a polytropic gas's constant, Pa (m³/kg)^γ, depends on its exponent.
  const double exponent = 1.5, constant = 3 * scale.of("Pa") * std::pow(scale.of("m3/kg"), exponent);
  const std::map<std::string, std::vector<std::map<std::string, Value>>> settings{
      {"screened_coulomb", {{{"screening_length", 3.0}}, {{"relative_permittivity", 2.5}, {"screening_length", 0.8}}}},
      {"image_plane",
       {{{"point", Vec3(0, 0, -1.5)}, {"normal", Vec3(0.2, -0.1, 1)}}, {{"point", Vec3(0, 0, -2)}, {"strength", 0.4}}}},
      {"chain_bending",
       {{{"stiffness", 3.0}, {"edges", chain}, {"body", bent_body()}},
        {{"stiffness", 2.0}, {"edges", chain}, {"body", bent_body()}, {"rest_shape", std::string("straight")}}}},
      {"hinge_bending",
       {{{"stiffness", 3.0}, {"body", bent_body()}},
        {{"stiffness", 2.0}, {"body", bent_body()}, {"rest_shape", std::string("flat")}}}},
      {"coulomb", {{}, {{"softening", 0.3}}}},
      {"newtonian_gravity", {{{"constant", 2.5}}, {{"constant", 0.7}, {"softening", 0.3}}}},
      {"field_potential",
       {{{"expression", "3*x^2*y + sin(z + t)"}},
        {{"expression", "cos(x)*y - z^3"}, {"weight", "mass"}},
        {{"expression", "1e6*(x*y*z + exp(-x^2))"}, {"weight", "charge"}}}},
      {"sph",
       {{{"smoothing_length", 0.9}, {"rest_density", 0.3}, {"sound_speed", 2.0}},
        {{"smoothing_length", 0.8},
         {"kernel", "cubic_spline"},
         {"equation_of_state", "polytropic"},
         {"constant", constant},
         {"exponent", exponent}},
        {{"smoothing_length", 0.9},
         {"rest_density", 1.5},
         {"sound_speed", 2.0},
         {"tension", true},
         {"viscosity", 0.3}}}},
      {"brownian", {{{"thermal_energy", 0.4}, {"friction", c1}}}},
      {"langevin", {{{"thermal_energy", 0.4}, {"friction_rate", 3.0}}}},
      {"velocity_rescaling", {{{"thermal_energy", 0.4}, {"time_constant", 0.2}}}},
      {"gravity", {{{"", Vec3(0.5, -1, -9.81)}}}},
      {"electric_field",
       {{{"", Vec3(0.4, -0.2, 0.7)}}, swirling, field_of_a_line(), field_of_a_grid(), {{"switched", switched}}}},
      {"applied_force",
       {{{"each", Vec3(0.4, -0.2, 0.7)}},
        {{"total", MapSettings::mapping({{"expression", std::vector<std::string>{"3*sin(2*t)", "2*t^2", "-1.5"}}})}}}},
      {"medium",
       {{{"radius", spheres}, {"viscosity", 0.05}, {"slip_length", 0.3}, {"wind", swirl}},
        {{"radius", spheres}, {"viscosity", 0.03}, {"density", 0.4}, {"gravity", Vec3(0.5, -1, -9.81)}}}},
      {"magnetic_field", {{{"", Vec3(4e5, -2e5, 7e5)}}, strong_swirl, field_of_a_line()}},
      {"point_charge", {{{"charge", 2e-6}, {"position", Knots{{0, 1, 2}, {{2, 2, 2}, {2, 1.5, 2}, {1, 2, 2}}}}}}},
      {"drag",
       {{{"linear", c1}, {"wind", swirl}},
        {{"quadratic", c2}, {"wind", swirl}},
        {{"linear", c1}, {"quadratic", c2}, {"wind", even}}}},
      {"dry_friction", {{{"friction_force", Vector(2 * c2)}, {"stiction_velocity", 1.3}}}},
      {"pair_potential",
       {{{"expression", std::string("exp(-2*r)*(3 - r^2) + 0.1/r")}, {"cutoff", 1.6}, {"strength", -1.7}}}},
      {"contact_penalty",
       {{{"radius", spheres}, {"stiffness", 30.0}},
        {{"radius", spheres}, {"stiffness", 20.0}, {"damping", 0.7}},
        {{"radius", spheres}, {"stiffness", 20.0}, {"damping", 0.7}, {"smoothing", 0.5}}}},
      {"plane_penalty",
       {{{"point", Vec3(0, 0, 0.6)}, {"normal", Vec3(0.2, -0.1, 1)}, {"stiffness", 30.0}},
        {{"point", Vec3(0.5, 0, 0)},
         {"normal", Vec3(1, 1, 0)},
         {"radius", spheres},
         {"stiffness", 20.0},
         {"damping", 0.7},
         {"tangential_damping", 1.9}},
        {{"point", Vec3(0.5, 0, 0)},
         {"normal", Vec3(1, 1, 0)},
         {"radius", spheres},
         {"stiffness", 20.0},
         {"damping", 0.7},
         {"tangential_damping", 1.9},
         {"smoothing", 0.8}}}},
      {"sphere_penalty",
       {{{"center", Vec3(0.5, 0.4, -1)},
         {"sphere_radius", 1.2},
         {"radius", spheres},
         {"stiffness", 30.0},
         {"damping", 0.7},
         {"tangential_damping", 0.3},
         {"smoothing", 0.4}},
        {{"center", Vec3(0.9, 0.7, 0.8)},
         {"sphere_radius", 0.75},
         {"side", std::string("inside")},
         {"radius", spheres},
         {"stiffness", 30.0},
         {"tangential_damping", 0.6}}}},
      {"box_penalty",
       {{{"min", Vec3(0.1, 0.1, 0.1)},
         {"max", Vec3(1.7, 1.6, 1.8)},
         {"radius", spheres},
         {"stiffness", 30.0},
         {"damping", 0.7},
         {"tangential_damping", 0.4}},
        {{"min", Vec3(-3, -3, -3)},
         {"max", Vec3(-0.1, 0.3, 0.25)},
         {"side", std::string("outside")},
         {"radius", spheres},
         {"stiffness", 30.0},
         {"damping", 0.7},
         {"smoothing", 0.3}}}},
      {"lennard_jones", {{{"epsilon", 0.8}, {"sigma", 0.6}}, {{"epsilon", 0.5}, {"sigma", 0.9}, {"cutoff", 1.3}}}},
  };
  std::vector<Specimen> list;
  for (const ForceInfo& info : forces()) {
    INFO("add settings for " << info.name << " to this test");
    REQUIRE(settings.count(info.name) == 1);
    for (const auto& values : settings.at(info.name)) {
      MapSettings map(N, values, scale);
      list.push_back(specimen(info.name, info.make(map), scale));
    }
  }
  const Vector k = scale.of("N/m") * Vector{{20, 35, 10, 0, 15, 30, 25}},
               l0 = scale.of("m") * Vector{{0.9, 1.4, 0, 0.5, 2.0, 0.8, 0.7}},
               c = scale.of("N s/m") * Vector{{0.5, 0, 1.5, 0.3, 0.8, 2, 0.4}};
  const Vector force = scale.of("N") * Vector{{20, 35, 10, 0, 15, 30, 25}};
  const Vector some_length = l0.cwiseMax(0.6 * scale.of("m"));  // a strain needs one
  const auto add = [&](const char* name, std::shared_ptr<ForceTerm> term) {
    list.push_back(specimen(name, {std::move(term)}, scale));
  };
  add("springs", std::make_shared<SpringForce>(k, l0));
  add("springs", std::make_shared<SpringForce>(force, some_length, SpringForce::Form::Strain));
  const Vector k3 = scale.of("N/m3") * Vector{{15, 0, 20, 10, 5, 30, 25}};
  list.push_back(
      specimen("cubic_springs", {std::make_shared<SpringForce>(k, l0), std::make_shared<CubicSpring>(k3)}, scale));
  add("dampers", std::make_shared<SpringDamper>(c));
  // Two chains that meet at particle 4, each with a turn of its own.
  std::vector<std::shared_ptr<ForceTerm>> chains;
  for (const auto& [stiffness, half] : {std::pair(3.0, 0), std::pair(2.0, 2)}) {
    MapSettings map(
        N, {{"stiffness", stiffness}, {"edges", std::vector{chain[half], chain[half + 1]}}, {"body", bent_body()}},
        scale);
    chains.push_back(ChainBending::make(map).front());
  }
  const auto joints = make_chain_joints(chains, scale.of("m") * bent_body().vertices);
  REQUIRE(joints.size() == 1);
  chains.push_back(joints.front());
  list.push_back(specimen("joined_chain_bending", chains, scale));
  return list;
}

/// Those whose forces are all differentiable.
inline std::vector<Specimen> differentiable_specimens() {
  std::vector<Specimen> list;
  for (Specimen& one : specimens()) {
    const auto& terms = one.model.terms();
    const auto is_differentiable = [](const auto& term) { return term->traits().differentiable; };
    if (std::all_of(terms.begin(), terms.end(), is_differentiable)) list.push_back(std::move(one));
  }
  return list;
}

/// Fixed seeds; particles sit near the corners of a wobbly prism, so that none meet.
struct Dice {
  std::mt19937 generator;
  explicit Dice(unsigned seed) : generator(seed) {}
  double number() { return std::uniform_real_distribution<double>(-1, 1)(generator); }
  Points points(double size) {
    Points p(3, N);
    for (double& entry : p.reshaped()) entry = size * number();
    return p;
  }
  State state() {
    Points x(3, N);
    x << 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0.2, 1, 0, 0, 0, 1, 1.2, 1.1;
    return {0.3, x + points(0.25), points(2)};
  }
  /// Values change in proportion to their block's size; blocks with a sign move inside it only by chance, which forces
  /// do not mind.
  Variation direction(const Model& model) {
    Variation d{points(1), points(1), Vector::Zero(model.values().size())};
    for (Index b = 0; b < static_cast<Index>(model.values().blocks().size()); ++b) {
      auto part = model.values().of(d.values, b);
      const double size = part.size() ? model.values()[b].cwiseAbs().maxCoeff() : 0;
      for (Index i = 0; i < part.size(); ++i) part[i] = size * number();
    }
    return d;
  }
};

/// A model with shifted values, unchecked: differences may step over a sign.
struct Shifted {
  Model model;
  State state;
};
inline Shifted shifted(const Model& model, const State& s, const Variation& d, double step) {
  Vector values = model.values().data() + step * d.values;
  for (const ValueBlock& b : model.values().blocks())  // keep what must not become negative where it starts at 0
    if (b.sign != ValueSign::Any)
      values.segment(b.offset, b.size) =
          values.segment(b.offset, b.size).cwiseMax(b.sign == ValueSign::Positive ? 1e-12 : 0.0);
  return {model.with_values(values), {s.t, s.x + step * d.x, s.v + step * d.v}};
}

/// A direction that leaves values at the edge of their sign alone, because differences need both sides.
inline Variation two_sided(const Model& model, Variation d) {
  for (const ValueBlock& b : model.values().blocks())
    if (b.sign != ValueSign::Any)
      for (Index i = b.offset; i < b.offset + b.size; ++i)
        if (model.values().data()[i] == 0) d.values[i] = 0;
  return d;
}

inline Points force_of(const Model& model, const State& s) {
  Points f = Points::Zero(3, N);
  model.add_forces(s, f, every_term);
  return f;
}
inline Points jvp_of(const Model& model, const State& s, const Variation& d) {
  Points df = Points::Zero(3, N);
  for (const auto& term : model.terms()) term->add_jvp(model, s, d, df);
  return df;
}

/// (8 (f(h) − f(−h)) − (f(2h) − f(−2h)))/(12 h): with h = 1e-3 truncation and rounding are both near 1e-11.
template <class F>
auto fourth_order_difference(F f) {
  const double h = 1e-3;
  return ((8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h)).eval();
}
inline constexpr double difference_tolerance = 2e-8;  // h⁴ times fifth derivatives of up to 1e4 for charges 0.5 m apart

/// ∂F/∂x (or ∂F/∂v) as a dense matrix, column by column.
inline Eigen::MatrixXd dense_jacobian(const ForceTerm& term, const Model& model, const State& s, bool by_velocity) {
  Eigen::MatrixXd J(3 * N, 3 * N);
  for (Index k = 0; k < 3 * N; ++k) {
    Variation d = Variation::zero(N, model.values().size());
    (by_velocity ? d.v : d.x).data()[k] = 1;
    Points df = Points::Zero(3, N);
    term.add_jvp(model, s, d, df);
    J.col(k) = flat(df);
  }
  return J;
}

}  // namespace pithball::tests::force_suite
