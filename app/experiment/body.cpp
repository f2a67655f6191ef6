#include "app/experiment/body.hpp"

#include <fmt/format.h>

#include <limits>
#include <numbers>
#include <numeric>
#include <set>

#include "app/experiment/mesh_source.hpp"
#include "app/yaml/nearest.hpp"
#include "app/yaml/yaml_settings.hpp"
#include "sim/field/asked_field.hpp"
#include "sim/force/spring_damper.hpp"
#include "sim/force/spring_force.hpp"

namespace pithball::app {
namespace {

Groups with_all(Groups groups, Index count) {
  auto& all = groups["all"];
  all.resize(count);
  std::iota(all.begin(), all.end(), Index{0});
  return groups;
}

/// Reads one vector for all particles, a list of vectors, or {group: vector, …}; particles without one get zero.
Points read_velocities(Node& system, const Body& body) {
  const Index n = body.mesh.vertices.cols();
  const char* meaning =
      "initial velocities: one vector for all, a list of vectors, or {group: vector, …} with zero for the rest";
  Points velocities = Points::Zero(3, n);
  if (!system.document("velocities", "vector [x, y, z], list of vectors, or vectors by group [m/s]", "[0, 0, 0]",
                       meaning))
    return system.fill("velocities", "[0, 0, 0]"), velocities;
  if (system.is_map("velocities")) {
    for (auto& [name, entry] : system.form("velocities").entries("GROUP")) {
      const auto group = body.vertex_groups.find(name);
      if (group == body.vertex_groups.end())
        entry.reject("", "must be a group of particles", "'" + name + "'", "define it under system.groups");
      const Vec3 v = entry.vector("", "m/s", meaning);
      for (const Index i : group->second) velocities.col(i) = v;
    }
    return velocities;
  }
  const Node written = system.form("velocities");
  const bool several =
      written.is_list() && !written.tree()->entries.empty() && written.tree()->entries[0].kind == Tree::Kind::List;
  if (!several) return system.vector("velocities", "m/s", meaning).replicate(1, n);
  velocities = system.points("velocities", "m/s", meaning);
  if (velocities.cols() != n)
    system.reject("velocities", fmt::format("must have one vector for each of the {} particles", n),
                  fmt::format("{}", velocities.cols()), "give one vector for all, or a list of that length");
  return velocities;
}

/// Reads the `driven:` entries. The path of a single particle is absolute; that of several is added to the initial
/// position of each.
void read_driven(Node& system, Body& body) {
  for (Node& item : system.items("driven", "particles whose motion is prescribed")) {
    const auto particles = read_particles(item, "vertices", "driven particles: numbers and group names",
                                          body.mesh.vertices.cols(), body.vertex_groups);
    item.require(!particles.empty(), "vertices", "must name at least one particle", "none", "write `vertices: [0]`");
    const bool relative = item.flag("relative", "add the path to each particle's initial position", false);
    YamlSettings settings(item, body.particles());
    const sim::Path path = sim::ask_path(settings, "path", "position as a function of time");
    if (!relative && particles.size() > 1)
      item.reject("vertices", "must be a single particle when the path is absolute",
                  fmt::format("{}", particles.size()), "write `relative: true` to move a group along");
    for (const Index i : particles)
      body.held.push_back({i, relative ? path.moved_by(body.mesh.vertices.col(i)) : path});
  }
}

/// Reads `rest_length`: `mesh` (as drawn), `pattern` (as cut), {scale: 0.9} of `mesh`, or a value per spring.
Vector read_rest_lengths(Node& springs, const Body& body) {
  const char* meaning =
      "length without force: `mesh` (as in the mesh), `pattern` (as in the flat pattern of a sewn shape), {scale: 0.9} "
      "times that in the mesh, or a value per spring; 0 is valid";
  springs.document("rest_length", "mesh, pattern, {scale: number}, or per spring >= 0 [m]", "mesh", meaning);
  Node value = springs.form("rest_length");
  if (!value.tree()) springs.fill("rest_length", "mesh");
  if (!value.tree() || (value.is_scalar() && value.tree()->text == "mesh")) return body.mesh.spring_lengths();
  if (value.is_scalar() && value.tree()->text == "pattern") {
    if (body.mesh.pattern_lengths.size() == 0)
      springs.reject("rest_length", "must be `mesh` or lengths, as this mesh has no pattern", "pattern",
                     "write `rest_length: mesh`");
    return body.mesh.pattern_lengths;
  }
  if (value.is_map() && value.is_written("scale"))
    return value.number("scale", "", meaning, {}, sim::ValueSign::NonNegative) * body.mesh.spring_lengths();
  return read_per_item(springs, "rest_length", {"m", meaning, {}, sim::ValueSign::NonNegative}, body.springs());
}

/// Springs in addition to those of the mesh, numbered after them.
struct AddedSprings {
  std::vector<sim::Spring> pairs;
  std::vector<double> strengths, rest_lengths;  ///< in the unit of the mesh's springs; in [m]

  /// Returns the values of the mesh's springs, followed by those of the added ones.
  static Vector after(const Vector& of_mesh, const std::vector<double>& added) {
    Vector all(of_mesh.size() + static_cast<Index>(added.size()));
    all << of_mesh, Eigen::Map<const Vector>(added.data(), static_cast<Index>(added.size()));
    return all;
  }
  /// The same for a value that is zero for the added springs.
  Vector without(const Vector& of_mesh) const { return after(of_mesh, std::vector<double>(pairs.size(), 0.0)); }
};

/// `strength`: the key used for the springs of the mesh.
AddedSprings read_added_springs(Node& springs, const std::string& strength, const Body& body) {
  AddedSprings added;
  std::set<std::pair<Index, Index>> joined;
  for (const auto& [i, j] : body.mesh.springs) joined.insert(std::minmax(i, j));
  for (Node& item : springs.items("added", "springs beside those of the mesh, without damping; their group is added")) {
    const auto [i, j] =
        read_pair(item, "between", "the particles [i, j] that it joins", "spring", body.mesh.vertices.cols());
    const bool by_strain = strength == "axial_stiffness";
    const double number = item.number(strength, by_strain ? "N" : "N/m", "as of the springs of the mesh", {},
                                      sim::ValueSign::NonNegative);
    if (item.describing()) {
      item.document("axial_stiffness", "number >= 0 [N]", "instead of stiffness",
                    "where the springs of the mesh have it");
      item.document("rest_length", "number >= 0 [m]", "the distance in the mesh", "length without force");
      continue;
    }
    if (!joined.insert({i, j}).second)
      item.reject("between", "must join a pair that has no spring yet", fmt::format("[{}, {}] again", i, j),
                  "remove it, or change the `" + strength + "` of that spring");
    const double distance = (body.mesh.vertices.col(i) - body.mesh.vertices.col(j)).norm();
    added.pairs.push_back({i, j});
    added.strengths.push_back(number);
    added.rest_lengths.push_back(
        item.number("rest_length", "m", "length without force", distance, sim::ValueSign::NonNegative));
  }
  return added;
}

/// Appends the added springs to the body, after those of its mesh.
void append(const AddedSprings& added, Body& body) {
  for (const sim::Spring& pair : added.pairs) {
    const auto number = static_cast<Index>(body.mesh.springs.size());
    body.mesh.springs.push_back(pair);
    for (const char* group : {"all", "added"}) body.spring_groups[group].push_back(number);
  }
}

void read_dampers(Node& springs, const Vector& rest_length, const AddedSprings& added, Body& body) {
  springs.ignore("damping");
  springs.ignore("axial_damping");
  const bool by_strain = springs.has("axial_damping");
  if (by_strain && springs.is_written("damping"))
    springs.reject("axial_damping", "must be given instead of damping", "both", "remove one of them");
  Vector damping;
  if (springs.has("damping"))
    damping = read_per_item(springs, "damping",
                            {"N s/m", "damping along the springs", 0.0, sim::ValueSign::NonNegative}, body.springs());
  if (by_strain) {
    if (rest_length.minCoeff() <= 0)
      springs.reject("axial_damping", "requires springs with a rest length > 0", "0 m", "write `damping` instead");
    damping = read_per_item(springs, "axial_damping",
                            {"N s", "axial viscosity η of a rod, with dampers of η/l0; instead of damping", 0.0,
                             sim::ValueSign::NonNegative},
                            body.springs());
    damping = damping.cwiseQuotient(rest_length);
    body.terms.push_back(std::make_shared<sim::SpringDamper>(added.without(damping),
                                                             AddedSprings::after(rest_length, added.rest_lengths)));
  } else if (springs.has("damping")) {
    body.terms.push_back(std::make_shared<sim::SpringDamper>(added.without(damping)));
  }
}

void read_springs(Node& system, Body& body) {
  if (system.is_scalar("springs")) {
    if (system.text("springs", "") != "none")
      system.reject("springs", "must be a mapping of keys, or none", "something else",
                    "write `springs: {stiffness: 10}`");
    body.mesh.springs.clear();
    body.mesh.spring_groups.clear();
    body.spring_groups = with_all({}, 0);
    return;
  }
  const bool has_edges = !body.mesh.springs.empty();
  if (!has_edges && !system.is_written("springs")) return;
  if (!has_edges)
    system.reject("springs", "requires a body with edges", "none",
                  system.is_written("vertices") ? "write which particles are linked, `springs: {edges: [[0, 1], …], …}`"
                                                : "remove `springs`, or take a mesh that has edges");
  Node springs = system.child("springs", "springs of the mesh, or `none`", true);
  system.document("springs", "one of none", "optional", "the edges of the mesh are no springs");
  const bool by_strain = springs.is_written("axial_stiffness");
  if (by_strain && springs.is_written("stiffness"))
    springs.reject("axial_stiffness", "must be given instead of stiffness", "both", "remove one of them");
  Vector stiffness;
  if (!by_strain)
    stiffness =
        read_per_item(springs, "stiffness",
                      {"N/m", "spring constants k in F = k (l − l0)", {}, sim::ValueSign::NonNegative}, body.springs());
  if (springs.applies(by_strain))
    springs.document("axial_stiffness", "per spring >= 0 [N]", "instead of stiffness",
                     "axial stiffness Y in F = Y (l − l0)/l0");
  if (by_strain)
    stiffness = read_per_item(springs, "axial_stiffness", {"N", "", {}, sim::ValueSign::NonNegative}, body.springs());
  const Vector rest_length = read_rest_lengths(springs, body);
  const AddedSprings added = read_added_springs(springs, by_strain ? "axial_stiffness" : "stiffness", body);
  using Form = sim::SpringForce::Form;
  body.terms.push_back(std::make_shared<sim::SpringForce>(AddedSprings::after(stiffness, added.strengths),
                                                          AddedSprings::after(rest_length, added.rest_lengths),
                                                          by_strain ? Form::Strain : Form::Length));
  springs.ignore("cubic_stiffness");
  if (springs.has("cubic_stiffness"))
    body.terms.push_back(std::make_shared<sim::CubicSpring>(added.without(
        read_per_item(springs, "cubic_stiffness",
                      {"N/m3", "hardening k₃ in F = k d + k₃ d³ with d = l − l0", 0.0, sim::ValueSign::NonNegative},
                      body.springs()))));
  read_dampers(springs, rest_length, added, body);
  append(added, body);
}

/// Reads `charge_leak:`, which gives the time constant or its inverse; a fit may start from an inverse of 0.
std::optional<double> read_charge_leak(Node& system) {
  Node leak = system.child("charge_leak", "all charges leak away, q(t) = q e^{−t/τ} with `charge` as q");
  const auto time_constant = leak.optional_number("time_constant", "s", "time constant τ", sim::ValueSign::Positive);
  const auto rate = leak.optional_number("rate", "1/s", "leak rate 1/τ, instead of the time constant; 0: no leak",
                                         sim::ValueSign::NonNegative);
  if (!leak.tree()) return {};
  if (bool(time_constant) == bool(rate))
    leak.reject("", "must have either time_constant or rate", rate ? "both" : "none",
                "write `charge_leak: {time_constant: 20 s}`");
  return rate ? *rate : 1 / *time_constant;
}

/// Reads `tracers:`, which turns the points of the mesh into tracers; no other keys of the body are read then.
void read_tracers(Node& system, Body& body) {
  Node tracers = system.child("tracers",
                              "massless points advected by a velocity field, dx/dt = u(x, t), instead of a body: no "
                              "masses, charges, springs or forces");
  if (!system.applies(tracers.tree())) return;
  YamlSettings settings(tracers, body.particles());
  const auto flow = sim::ask_field(settings, "velocity", "m/s", "velocity field u(x, t)");
  if (!tracers.tree()) return;
  for (const char* key : {"mass", "payload", "charge", "charge_leak", "velocities", "springs"})
    if (system.is_written(key))
      system.reject(key, "must be left out for tracers", "a value",
                    "tracers have only a position and move with the field");
  body.flow = flow;
  body.mesh.springs.clear();
  body.mesh.spring_groups.clear();
}

/// Reads `mass: {density, radius}` into the body's masses.
void read_sphere_masses(Node& system, Body& body) {
  Node spheres = system.form("mass");
  const auto density = spheres.optional_number(
      "density", "kg/m3", "density ρ of particles that are spheres, m = 4/3 π ρ r³", sim::ValueSign::Positive);
  const Vector radius = read_per_item(
      spheres, "radius",
      {"m", "their radius r, that of `forces.medium`; a fit of `hydrodynamic_radius` moves the masses too",
       std::numeric_limits<double>::quiet_NaN(), sim::ValueSign::Positive},
      body.particles());
  if (!density) {
    if (spheres.tree())
      spheres.reject("density", "must have a value", "none", "write `mass: {density: 886 kg/m3, radius: 1 um}`");
    return;
  }
  if (radius.array().isNaN().any())
    spheres.reject("radius", "must be given with a density", "none",
                   "write `mass: {density: 886 kg/m3, radius: 1 um}`");
  body.known_mass.sphere_density = density;
  body.mass = mass_per_cube(*density) * radius.array().cube();
}

/// Reads `mass:` and `payload:`.
void read_masses(Node& system, Body& body) {
  const bool are_spheres =
      system.is_map("mass") && !body.vertex_groups.contains("density") && system.form("mass").is_written("density");
  if (!are_spheres)
    body.mass =
        read_per_item(system, "mass",
                      {"kg", "masses of the particles; or {density, radius} of spheres", {}, sim::ValueSign::Positive},
                      body.particles());
  if (system.applies(are_spheres)) read_sphere_masses(system, body);
  body.known_mass.payload = read_per_item(system, "payload",
                                          {"kg",
                                           "known masses that particles carry in addition to `mass`, and that a fit of "
                                           "`mass` leaves unchanged",
                                           0.0, sim::ValueSign::NonNegative},
                                          body.particles());
  // A written 0 is that of a run's own run.yaml.
  if (are_spheres && body.known_mass.payload.any())
    system.reject("payload", "must be 0 or left out for spheres of one density", "a load", "give their masses instead");
  body.mass += body.known_mass.payload;
}

}  // namespace

double mass_per_cube(double density) { return 4 * std::numbers::pi / 3 * density; }

std::vector<std::string> Body::mesh_spring_groups() const {
  std::vector<std::string> names;
  for (const auto& [name, springs] : mesh.spring_groups) names.push_back(name);
  return names;
}

Body read_body(Node system, BuiltMeshes& built) {
  Body body;
  body.mesh = read_mesh_source(system, built);
  const Index n = body.mesh.vertices.cols();
  body.vertex_groups = with_all(body.mesh.vertex_groups, n);
  Node groups = system.child("groups", "named sets of particles, in addition to the groups of the mesh and `all`");
  read_groups(groups, body.mesh.vertices, body.vertex_groups);
  for (const auto& [name, group] : groups.entries("NAME")) body.user_groups.push_back(name);
  read_tracers(system, body);
  body.edges = {body.mesh.springs, body.mesh.spring_groups};
  body.spring_groups = with_all(body.mesh.spring_groups, body.mesh.springs.size());
  if (body.flow) {
    body.mass = body.charges.initial = body.known_mass.payload = Vector::Zero(n);
    body.velocities = Points::Zero(3, n);
  } else {
    read_masses(system, body);
    body.charges.initial = read_per_item(system, "charge", {"C", "charges of the particles", 0.0}, body.particles());
    body.charges.leak_rate = read_charge_leak(system);
    body.velocities = read_velocities(system, body);
  }
  for (const Index i :
       read_particles(system, "pinned", "particles that stay at their initial positions", n, body.vertex_groups))
    body.held.push_back({i, {}});
  read_driven(system, body);
  if (!body.flow) read_springs(system, body);
  return body;
}

}  // namespace pithball::app
