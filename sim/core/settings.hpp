#pragma once
// What a force, a constraint or an integrator asks of the experiment that configures it.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/surface.hpp"
#include "sim/core/topology.hpp"
#include "sim/core/types.hpp"
#include "sim/field/path.hpp"
#include "sim/field/potential_field.hpp"
#include "sim/field/radial_expression.hpp"
#include "sim/field/vector_field.hpp"

namespace pithball::sim {

/// The settings below one key of an experiment, seen by the class that they configure. The class asks for what it
/// needs; asking also documents: the same calls generate the page of all keys, so a key cannot be read without being
/// described. `sim` knows this interface only; the YAML behind it belongs to `app`.
///
/// Each question names the key, its unit (empty: dimensionless), what it means in one phrase, and a fallback where the
/// key may be left out (no fallback: required). Values arrive in SI units. A value that is present and unusable
/// throws InvalidArgument with file, line and column. An empty key ("") means the node itself, as in `gravity: [0, 0,
/// -9.81]`.
class Settings {
 public:
  virtual ~Settings() = default;
  virtual double number(std::string_view key, std::string_view unit, std::string_view meaning,
                        std::optional<double> fallback = {}) = 0;
  virtual Index integer(std::string_view key, std::string_view meaning, std::optional<Index> fallback = {}) = 0;
  virtual bool flag(std::string_view key, std::string_view meaning, std::optional<bool> fallback = {}) = 0;
  /// One of `choices`; the message for anything else lists them.
  virtual std::string choice(std::string_view key, const std::vector<std::string>& choices, std::string_view meaning,
                             std::optional<std::string> fallback = {}) = 0;
  virtual Vec3 vector(std::string_view key, std::string_view unit, std::string_view meaning,
                      std::optional<Vec3> fallback = {}) = 0;
  /// One number for each particle: written as one value, a list, {total: …} or {group: value, …}.
  virtual Vector per_particle(std::string_view key, std::string_view unit, std::string_view meaning,
                              std::optional<double> fallback = {}) = 0;
  /// {uniform: [x, y, z]} or {expression: ["…", "…", "…"]} in x, y, z, t.
  virtual std::shared_ptr<const VectorField> field(std::string_view key, std::string_view unit,
                                                   std::string_view meaning, std::optional<Vec3> fallback = {}) = 0;
  /// A scalar potential written as one expression in x, y, z [m] and t [s].
  virtual std::shared_ptr<const PotentialField> potential(std::string_view key, std::string_view meaning) = 0;
  /// A point [x, y, z] or {file: …csv} with columns t, x, y, z.
  virtual Path path(std::string_view key, std::string_view meaning) = 0;
  /// Particles, written as numbers and names of groups.
  virtual std::vector<Index> particles(std::string_view key, std::string_view meaning) = 0;
  /// Pairs of particles: `mesh` (every edge of the mesh), the name of a group of its edges, or [[i, j], …].
  virtual std::vector<Spring> edges(std::string_view key, std::string_view meaning) = 0;
  /// The surface of a mesh: a shape or a file, with its placement.
  virtual Surface surface(std::string_view key, std::string_view meaning) = 0;
  /// One number for each of `count` items, which messages call `noun`: written as one value, {total: …} or a list.
  virtual Vector per_item(std::string_view key, std::string_view unit, std::string_view meaning,
                          std::optional<double> fallback, std::string_view noun, Index count) = 0;
  /// An expression in r [m].
  virtual std::shared_ptr<const RadialExpression> radial(std::string_view key, std::string_view unit,
                                                         std::string_view meaning) = 0;
  virtual bool has(std::string_view key) const = 0;
  /// Whether the questions are asked to write the page of keys: then also those that depend on an answer are due.
  virtual bool describing() const { return false; }
  /// Refuse a value that was read but makes no sense: throws InvalidArgument placed at the key.
  [[noreturn]] virtual void refuse(std::string_view key, std::string required, std::string got,
                                   std::string remedy) const = 0;
};

}  // namespace pithball::sim
