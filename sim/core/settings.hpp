#pragma once
// The interface through which forces, constraints and integrators read their settings.

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/number_table.hpp"
#include "sim/core/spring.hpp"
#include "sim/core/surface.hpp"
#include "sim/core/types.hpp"
#include "sim/core/value_sign.hpp"

namespace pithball::sim {

/// The settings at one key of an experiment, for the class that they configure. The class queries what it needs; the
/// same calls generate the page of all keys, so a key cannot be read without being documented. `sim` only knows this
/// interface; the YAML implementation belongs to `app`.
///
/// Each query names the key, its unit (empty: dimensionless), its meaning in one phrase, and a default if the key is
/// optional (no default: required). Values are returned in SI units. An invalid value throws InvalidArgument with file,
/// line and column. The empty key ("") is the node itself, as in `gravity: [0, 0, -9.81]`.
///
/// These are the basic queries. Types with several forms (a field, a path, a surface, a law of distance) have query
/// functions next to the type: `ask_field`, `ask_path`, `ask_surface`, `ask_radial`.
class Settings {
 public:
  virtual ~Settings() = default;
  /// A default of NaN: the number is optional, and NaN means none. A written number must have the sign.
  virtual double number(std::string_view key, std::string_view unit, std::string_view meaning,
                        std::optional<double> fallback = {}, ValueSign sign = ValueSign::Any) = 0;
  /// A whole number, of any sign.
  virtual Index integer(std::string_view key, std::string_view meaning, std::optional<Index> fallback = {}) = 0;
  /// `true` or `false`.
  virtual bool flag(std::string_view key, std::string_view meaning, std::optional<bool> fallback = {}) = 0;
  /// One of `choices`; the error message lists them.
  virtual std::string choice(std::string_view key, const std::vector<std::string>& choices, std::string_view meaning,
                             std::optional<std::string> fallback = {}) = 0;
  /// Three numbers in this unit.
  virtual Vec3 vector(std::string_view key, std::string_view unit, std::string_view meaning,
                      std::optional<Vec3> fallback = {}) = 0;
  /// An expression, or a list of them, with a value in this unit; not parsed, so wrap its parsing in `located`.
  virtual std::string text(std::string_view key, std::string_view unit, std::string_view meaning) = 0;
  /// A list of expressions, as in `text`; also of one.
  virtual std::vector<std::string> texts(std::string_view key, std::string_view unit, std::string_view meaning) = 0;
  /// The numbers of the named file: of `columns`, whose absence is reported as needed by `reader` ("a path"), or of all
  /// columns. Describing: none.
  virtual NumberTable table(std::string_view key, std::string_view meaning,
                            const std::vector<std::string>& columns = {}, std::string_view reader = {}) = 0;
  /// One number per particle: written as one value, a list, {total: …} or {group: value, …}.
  virtual Vector per_particle(std::string_view key, std::string_view unit, std::string_view meaning,
                              std::optional<double> fallback = {}) = 0;
  /// One number for each of `count` items, called `noun` in messages: written as one value, {total: …} or a list.
  virtual Vector per_item(std::string_view key, std::string_view unit, std::string_view meaning,
                          std::optional<double> fallback, std::string_view noun, Index count) = 0;
  /// Particles, as numbers and names of groups.
  virtual std::vector<Index> particles(std::string_view key, std::string_view meaning) = 0;
  /// Pairs of particles: `mesh` (every edge of the mesh), the name of a group of its edges, or [[i, j], …].
  virtual std::vector<Spring> edges(std::string_view key, std::string_view meaning) = 0;
  /// The body as it is drawn: the initial positions of its particles, and the faces of its mesh. Describing: nothing.
  virtual Polygons body() const = 0;
  /// The faces of a mesh: a shape or a file, with its placement.
  virtual Polygons polygons(std::string_view key, std::string_view meaning) = 0;

  /// The form of the value at a key. This is not a query: the key must be queried too, or it counts as unknown.
  enum class Written { Nothing, NoValue, Value, List, Mapping };
  /// Of the value as it was written, before any default.
  virtual Written written(std::string_view key) const = 0;
  /// Whether a value is written; true when describing keys, so that all forms are queried.
  bool has(std::string_view key) const { return describing() || written(key) > Written::NoValue; }
  /// The settings at a key with several forms: {uniform: …}, {expression: …}. Query them in turn.
  virtual std::unique_ptr<Settings> below(std::string_view key) = 0;
  /// Whether this is a pass that describes keys: then make all queries, also those that depend on a value.
  virtual bool describing() const { return false; }
  /// Adds the row for a key with several forms to that page.
  virtual void document(std::string_view key, std::string_view type, std::string_view fallback,
                        std::string_view meaning) {}

  /// Rejects a value that makes no sense: throws InvalidArgument with the place of the key.
  [[noreturn]] virtual void reject(std::string_view key, std::string required, std::string got,
                                   std::string remedy) const = 0;
  /// Runs `work`; adds the place of the key to an InvalidArgument without one.
  template <class Work>
  auto located(std::string_view key, Work work) const -> decltype(work()) {
    try {
      return work();
    } catch (const std::invalid_argument&) {
      rethrow_located(key);
      throw;
    }
  }

 private:
  /// Rethrows the current exception with the place of the key; returns if places are unknown.
  virtual void rethrow_located(std::string_view) const {}
};

}  // namespace pithball::sim
