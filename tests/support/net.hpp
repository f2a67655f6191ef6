#pragma once
// The bodies of the net: every force, constraint and integrator of the registries, alone and in combinations of two, at
// any scale.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "sim/integrator/integrator_choice.hpp"
#include "sim/run/simulator.hpp"
#include "sim/run/stepper.hpp"
#include "tests/support/constraint_specimens.hpp"
#include "tests/support/force_specimens.hpp"
#include "tests/support/key_framed.hpp"

namespace pithball::tests::net {

using namespace pithball::sim;

/// How particles of a body are held.
enum class Hold { None, Pinned, Driven };

/// What a body is made of: numbers in the lists of specimens, and what they are called.
struct Case {
  std::vector<std::size_t> forces, constraints;
  std::string integrator;
  Hold hold = Hold::None;
  bool key_frames = false;
  std::string name = {};
};

/// What some cases have: numbers of forces, and integrators.
struct Reach {
  std::set<std::size_t> forces;
  std::set<std::string> integrators;
  void add(const Case& c) {
    forces.insert(c.forces.begin(), c.forces.end());
    integrators.insert(c.integrator);
  }
  bool operator==(const Reach&) const = default;
};

struct Body {
  Model model;
  State state;
};

/// The specimens of the registries at one scale. A body's terms serve until the next body is made.
class Bodies {
 public:
  explicit Bodies(const Scale& scale = {})
      : scale_(scale), forces_(force_suite::specimens(scale)), constraints_(constraint_suite::specimens(scale)) {}

  const std::vector<force_suite::Specimen>& forces() const { return forces_; }
  const std::vector<constraint_suite::Specimen>& constraints() const { return constraints_; }

  Body make(const Case& c) const {
    std::vector<std::shared_ptr<ForceTerm>> terms;
    for (const std::size_t f : c.forces)
      terms.insert(terms.end(), forces_[f].model.terms().begin(), forces_[f].model.terms().end());
    std::vector<std::shared_ptr<Constraint>> constraints;
    for (const std::size_t k : c.constraints)
      constraints.insert(constraints.end(), constraints_[k].model.constraints().begin(),
                         constraints_[k].model.constraints().end());
    State start = constraints.empty() ? force_suite::Dice(1).state() : constraint_suite::moved();
    // On a grid that is not too fine for any origin.
    start.x = (start.x.array() * grid).round() / grid;
    Topology topology{.particles = force_suite::N, .springs = force_suite::edges, .held = {}};
    if (c.hold != Hold::None) topology.held.push_back({0, {}});
    if (c.hold == Hold::Driven) {
      const Vec3 from = start.x.col(5);
      std::vector<double> times{-4, -1, 2, 5};
      std::vector<Vec3> points{from + Vec3(0, 0, -1), from, from + Vec3(1, 0.5, 0), from + Vec3(0, 2, 1)};
      for (double& t : times) t *= scale_.of("s");
      for (Vec3& x : points) x = scale_.place(x);
      topology.held.push_back({5, Path(times, points)});
    }
    Model model(topology, scale_.of("kg") * force_suite::specimen_masses(),
                scale_.of("C") * force_suite::specimen_charges(), terms, constraints);
    if (c.key_frames) {
      const double second = scale_.of("s");
      model = with_moving_values(model, {0.31 * second, 0.37 * second}, true);
    }
    return {model, scale_.state(start)};
  }

  const Scale& scale() const { return scale_; }

 private:
  static constexpr double grid = 1 << 28;
  Scale scale_;
  std::vector<force_suite::Specimen> forces_;
  std::vector<constraint_suite::Specimen> constraints_;
};

/// "plane_penalty#2": the second specimen of its kind, whatever kinds are added before it.
template <class Specimens>
std::string numbered(const Specimens& all, std::size_t which) {
  const auto end = all.begin() + static_cast<std::ptrdiff_t>(which) + 1;
  const auto count = std::count_if(all.begin(), end, [&](const auto& one) { return one.name == all[which].name; });
  return all[which].name + "#" + std::to_string(count);
}

inline std::string name_of(const Bodies& bodies, const Case& c) {
  std::string name;
  const auto add = [&](const std::string& part) { name += (name.empty() ? "" : " + ") + part; };
  for (const std::size_t f : c.forces) add(numbered(bodies.forces(), f));
  for (const std::size_t k : c.constraints) add(numbered(bodies.constraints(), k));
  add(c.integrator);
  if (c.hold != Hold::None) add(c.hold == Hold::Pinned ? "pinned" : "driven");
  if (c.key_frames) add("key frames");
  return name;
}

/// Every force in every integrator, free and held; pairs of forces, each in one integrator; constraints alone, in
/// pairs, and with each force; and forces whose values change with time.
inline std::vector<Case> all_cases(const Bodies& bodies) {
  std::vector<Case> cases;
  const std::size_t forces = bodies.forces().size(), constraints = bodies.constraints().size();
  const auto& all = integrators();
  for (std::size_t f = 0; f < forces; ++f) {
    for (const IntegratorInfo& integrator : all)
      for (const Hold hold : {Hold::None, f % 2 ? Hold::Pinned : Hold::Driven})
        cases.push_back({.forces = {f}, .constraints = {}, .integrator = integrator.name, .hold = hold});
    for (const char* integrator : {"imex_midpoint", "velocity_verlet"})
      cases.push_back({.forces = {f}, .constraints = {}, .integrator = integrator, .key_frames = true});
    for (std::size_t g = 0; g < f; ++g)
      cases.push_back({.forces = {g, f}, .constraints = {}, .integrator = all[cases.size() % all.size()].name});
    for (std::size_t k = 0; k < constraints; ++k)
      cases.push_back({.forces = {f}, .constraints = {k}, .integrator = "xpbd"});
  }
  for (std::size_t k = 0; k < constraints; ++k) {
    cases.push_back({.forces = {}, .constraints = {k}, .integrator = "xpbd"});
    for (std::size_t l = 0; l < k; ++l) cases.push_back({.forces = {}, .constraints = {l, k}, .integrator = "xpbd"});
  }
  for (Case& c : cases) c.name = name_of(bodies, c);
  return cases;
}

/// Whether rounding decides what happens next: a particle that two contacts, or a contact and a fluid's pressure, hold
/// at an edge of the mesh leaves it on one side or on the other.
inline bool rounding_decides(const Case& c) {
  static const std::set<std::string> at_an_edge{"plane_penalty#1 + mesh#2 + xpbd", "sph#2 + mesh#2 + xpbd",
                                                "box#1 + mesh#1 + xpbd"};
  return at_an_edge.count(c.name) > 0;
}

/// How a run ended, in the numbers of the original system.
struct Outcome {
  std::string status;  ///< of the last step, or "rejected"
  State end;
  Vector energy;  ///< by kind
  std::string why;
};

inline Outcome run(const Bodies& bodies, const Case& c, const IntegratorChoice& integrator, double h, Index steps) {
  const Scale& scale = bodies.scale();
  try {
    const Body body = bodies.make(c);
    Stepper stepper(body.model, body.state, integrator, {}, scale.of("s") * h);
    StepStatus status = StepStatus::Ok;
    while (stepper.n() < steps && status == StepStatus::Ok) status = stepper.advance().status;
    const EnergyRow row = energy_of(stepper.model(), stepper.state());
    const Vector energy{{row.kinetic, row.elastic, row.coulomb, row.interaction, row.external}};
    return {to_string(status), scale.original(stepper.state()), energy / scale.of("J"), {}};
  } catch (const InvalidArgument& rejected) {
    return {"rejected", {}, {}, rejected.what()};
  }
}

/// The largest difference of two outcomes' numbers, of positions, velocities and energies each relative to the largest;
/// infinite if they ended differently.
inline double deviation(const Outcome& a, const Outcome& b) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (a.status != b.status) return infinity;
  if (a.status != "ok") return 0;
  const auto relative = [](const auto& got, const auto& want) {
    const double largest = want.cwiseAbs().maxCoeff();
    if (!got.allFinite() || !want.allFinite()) return infinity;
    const double difference = (got - want).cwiseAbs().maxCoeff();
    return difference == 0 ? 0.0 : difference / largest;
  };
  return std::max({relative(a.end.x, b.end.x), relative(a.end.v, b.end.v), relative(a.energy, b.energy)});
}

}  // namespace pithball::tests::net
