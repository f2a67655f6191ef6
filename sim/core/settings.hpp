#pragma once
// What a force, a constraint or an integrator asks of the experiment that configures it.

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/number_table.hpp"
#include "sim/core/polygons.hpp"
#include "sim/core/spring.hpp"
#include "sim/core/types.hpp"
#include "sim/core/value_sign.hpp"

namespace pithball::sim {

/// The settings below one key of an experiment, seen by the class that they configure. The class asks for what it
/// needs; asking also documents: the same calls generate the page of all keys, so a key cannot be read without being
/// described. `sim` knows this interface only; the YAML behind it belongs to `app`.
///
/// Each question names the key, its unit (empty: dimensionless), what it means in one phrase, and a fallback where the
/// key may be left out (no fallback: required). Values arrive in SI units. A value that is present and unusable
/// throws InvalidArgument with file, line and column. An empty key ("") means the node itself, as in `gravity: [0, 0,
/// -9.81]`.
///
/// These are the questions from which others are made. What several forms stand for (a field, a path, a surface, a law
/// of distance) is asked by a function beside its type: `ask_field`, `ask_path`, `ask_surface`, `ask_radial`.
class Settings {
 public:
  virtual ~Settings() = default;
  /// A fallback that is NaN: the number is optional, and none says so. A written number must have the sign.
  virtual double number(std::string_view key, std::string_view unit, std::string_view meaning,
                        std::optional<double> fallback = {}, ValueSign sign = ValueSign::Any) = 0;
  virtual Index integer(std::string_view key, std::string_view meaning, std::optional<Index> fallback = {}) = 0;
  virtual bool flag(std::string_view key, std::string_view meaning, std::optional<bool> fallback = {}) = 0;
  /// One of `choices`; the message for anything else lists them.
  virtual std::string choice(std::string_view key, const std::vector<std::string>& choices, std::string_view meaning,
                             std::optional<std::string> fallback = {}) = 0;
  virtual Vec3 vector(std::string_view key, std::string_view unit, std::string_view meaning,
                      std::optional<Vec3> fallback = {}) = 0;
  /// An expression, or a list of them, whose value has this unit; unread, so that `located` belongs around what reads
  /// it.
  virtual std::string text(std::string_view key, std::string_view unit, std::string_view meaning) = 0;
  virtual std::vector<std::string> texts(std::string_view key, std::string_view unit, std::string_view meaning) = 0;
  /// The numbers of the file that is named: of `columns`, whose lack messages tell as that of `reader` ("a path"), or
  /// of all columns. Describing: none.
  virtual NumberTable table(std::string_view key, std::string_view meaning,
                            const std::vector<std::string>& columns = {}, std::string_view reader = {}) = 0;
  /// One number for each particle: written as one value, a list, {total: …} or {group: value, …}.
  virtual Vector per_particle(std::string_view key, std::string_view unit, std::string_view meaning,
                              std::optional<double> fallback = {}) = 0;
  /// One number for each of `count` items, which messages call `noun`: written as one value, {total: …} or a list.
  virtual Vector per_item(std::string_view key, std::string_view unit, std::string_view meaning,
                          std::optional<double> fallback, std::string_view noun, Index count) = 0;
  /// Particles, written as numbers and names of groups.
  virtual std::vector<Index> particles(std::string_view key, std::string_view meaning) = 0;
  /// Pairs of particles: `mesh` (every edge of the mesh), the name of a group of its edges, or [[i, j], …].
  virtual std::vector<Spring> edges(std::string_view key, std::string_view meaning) = 0;
  /// The faces of a mesh: a shape or a file, with its placement.
  virtual Polygons polygons(std::string_view key, std::string_view meaning) = 0;

  /// What stands at a key. Looking is not asking: one of the questions must follow, or the key counts as unknown.
  enum class Written { Nothing, NoValue, Value, List, Mapping };
  virtual Written written(std::string_view key) const = 0;
  bool has(std::string_view key) const { return describing() || written(key) > Written::NoValue; }
  /// The settings below a key, for one that has several forms: {uniform: …}, {expression: …}. They are asked in turn.
  virtual std::unique_ptr<Settings> below(std::string_view key) = 0;
  /// Whether the questions are asked to write the page of keys: then also those that depend on an answer are due.
  virtual bool describing() const { return false; }
  /// The row of a key with several forms on that page.
  virtual void document(std::string_view key, std::string_view type, std::string_view fallback,
                        std::string_view meaning) {}

  /// Reject a value that was read but makes no sense: throws InvalidArgument placed at the key.
  [[noreturn]] virtual void reject(std::string_view key, std::string required, std::string got,
                                   std::string remedy) const = 0;
  /// Runs `work`; a complaint in it that has no place yet gets that of the key.
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
  /// Throws what is being handled, with the place of the key; returns where places are not known.
  virtual void rethrow_located(std::string_view) const {}
};

}  // namespace pithball::sim
