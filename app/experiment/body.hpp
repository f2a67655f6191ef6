#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/experiment/mesh_source.hpp"
#include "app/yaml/particle_list.hpp"
#include "datasets/mesh/mesh.hpp"
#include "sim/force/force_term.hpp"
#include "sim/model/model.hpp"

namespace pithball::app {

/// The edges of a body's mesh, also with `springs: none`.
struct MeshEdges {
  std::vector<sim::Spring> pairs;                    ///< the particles of each
  std::map<std::string, std::vector<Index>> groups;  ///< groups of the mesh: numbers of edges
};

/// The charges of a body.
struct BodyCharges {
  Vector initial;                   ///< [C], N; at t = 0
  std::optional<double> leak_rate;  ///< [1/s]; empty: charges stay
};

/// What is known about the masses of a body.
struct KnownMass {
  Vector payload;                        ///< the known part of each [kg], N
  std::optional<double> sphere_density;  ///< [kg/m³] of particles that are spheres; empty: their masses are given
};

/// The section `system:` of an experiment: the body, with the forces of its own springs and dampers only.
struct Body {
  datasets::Mesh mesh;                                      ///< placed; vertices are the initial positions
  std::map<std::string, std::vector<Index>> vertex_groups;  ///< groups of the mesh, of the user, and "all"
  std::map<std::string, std::vector<Index>> spring_groups;  ///< groups of the mesh and "all"
  MeshEdges edges;                                     ///< the mesh's edges; either all or none of them are springs
  std::vector<std::string> user_groups;                ///< names under `groups:`, in file order
  Vector mass;                                         ///< [kg], N; including the payload
  KnownMass known_mass;                                ///< the known part of `mass`
  BodyCharges charges;                                 ///< at the start, and how they leak away
  Points velocities;                                   ///< [m/s], 3×N
  std::shared_ptr<const sim::VectorField> flow;        ///< velocity field u(x, t) [m/s] of tracers; null for a body
  std::vector<sim::Held> held;                         ///< pinned and driven particles
  std::vector<std::shared_ptr<sim::ForceTerm>> terms;  ///< springs and, if `damping` is given, dampers

  /// Names of the mesh's spring groups.
  std::vector<std::string> mesh_spring_groups() const;
  /// Particles with the groups of vertices, for values per particle. Refers to this body.
  ItemSpace particles() const { return {"particle", mesh.vertices.cols(), &vertex_groups}; }
  /// Springs with their groups, for values per spring. Refers to this body.
  ItemSpace springs() const { return {"spring", static_cast<Index>(mesh.springs.size()), &spring_groups}; }
  /// Edges of the mesh with their groups, for `edges` of links. Refers to this body.
  EdgeSpace edge_space() const { return {mesh.vertices.cols(), &edges.pairs, &edges.groups}; }
  /// A copy: number of particles, springs, held particles and flow.
  sim::Topology topology() const { return {mesh.vertices.cols(), mesh.springs, held, flow}; }
};

/// The factor of m = factor · r³ for spheres of this density [kg/m³].
double mass_per_cube(double density);

/// Reads the node `system:` and the files that it names; meshes in `built` are not built again. Throws InvalidArgument
/// at any invalid value.
Body read_body(Node system, BuiltMeshes& built);

}  // namespace pithball::app
