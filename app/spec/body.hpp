#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/spec/built_meshes.hpp"
#include "app/yaml/pairs.hpp"
#include "app/yaml/per_item.hpp"
#include "datasets/mesh/mesh.hpp"
#include "sim/force/force_term.hpp"
#include "sim/model/model.hpp"

namespace pithball::app {

/// The section `system:` of an experiment: what moves, before any force but that of its own springs.
struct Body {
  datasets::Mesh mesh;                                      ///< placed; vertices are the initial positions
  std::map<std::string, std::vector<Index>> vertex_groups;  ///< the mesh's, the user's, and "all"
  std::map<std::string, std::vector<Index>> spring_groups;  ///< the mesh's and "all"
  std::vector<sim::Spring> edges;                           ///< of the mesh, also where `springs: none`
  std::map<std::string, std::vector<Index>> edge_groups;    ///< the mesh's groups of them
  std::vector<std::string> user_groups;                     ///< names under `groups:`, in the order of writing
  Vector mass;                                              ///< [kg], N; with the payload
  Vector payload;                                           ///< its known part [kg], N
  Vector charge;                                            ///< [C], N
  Points velocities;                                        ///< [m/s], 3×N
  std::shared_ptr<const sim::VectorField> flow;             ///< u(x, t) [m/s] that carries tracers; null for a body
  std::vector<sim::Held> held;                              ///< pinned and driven particles
  std::vector<std::shared_ptr<sim::ForceTerm>> terms;       ///< springs and, if `damping` is given, dampers

  /// Names of the mesh's own groups of springs.
  std::vector<std::string> mesh_spring_groups() const;
  ItemSpace particles() const { return {"particle", mesh.vertices.cols(), &vertex_groups}; }
  ItemSpace springs() const { return {"spring", static_cast<Index>(mesh.springs.size()), &spring_groups}; }
  EdgeSpace edge_space() const { return {mesh.vertices.cols(), &edges, &edge_groups}; }
  sim::Topology topology() const { return {mesh.vertices.cols(), mesh.springs, held, flow}; }
};

/// Reads `system:` (the node) with the files that it names; meshes that are in `built` are not built again. Throws
/// InvalidArgument at whatever cannot be used.
Body read_body(Node system, BuiltMeshes& built);

}  // namespace pithball::app
