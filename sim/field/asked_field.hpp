#pragma once
#include <memory>
#include <optional>
#include <string_view>

#include "sim/field/vector_field.hpp"

namespace pithball::sim {

class Settings;

/// Reads a vector, {uniform: [x, y, z]}, {expression: ["…", "…", "…"]} in x, y, z [m] and t [s], or {table: …} (see
/// `TabulatedField`). `unit`: that of the field.
std::shared_ptr<const VectorField> ask_field(Settings& settings, std::string_view key, std::string_view unit,
                                             std::string_view meaning, std::optional<Vec3> fallback = {});

/// A scalar potential given by one expression in x, y, z [m] and t [s].
std::shared_ptr<const PotentialField> ask_potential(Settings& settings, std::string_view key, std::string_view meaning);

}  // namespace pithball::sim
