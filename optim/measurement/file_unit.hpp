#pragma once
#include <string_view>

namespace pithball::optim {

/// A unit in which files hold readings of a kind.
struct FileUnit {
  std::string_view base,  ///< the unit of the kind
      name,               ///< in sentences
      written;            ///< as a quantity in an experiment file
  double size;            ///< in the unit of the kind
};

/// Those of every kind but cameras, whose pixels have no other unit.
inline constexpr FileUnit file_units[] = {
    {"m", "m", "1 m", 1},
    {"m", "cm", "1 cm", 1e-2},
    {"m", "mm", "1 mm", 1e-3},
    {"m", "µm", "1 um", 1e-6},
    {"m", "inches", "25.4 mm", 0.0254},
    {"m", "feet", "0.3048 m", 0.3048},
    {"rad", "rad", "1 rad", 1},
    {"rad", "degrees", "1 deg", 0.017453292519943295},
    {"m/s", "m/s", "1 m/s", 1},
    {"m/s", "cm/s", "1 cm/s", 1e-2},
    {"m/s", "mm/s", "1 mm/s", 1e-3},
    {"m/s", "km/h", "1 km/h", 1 / 3.6},
    {"m/s^2", "m/s²", "1 m/s^2", 1},
    {"m/s^2", "g", "9.80665 m/s^2", 9.80665},
    {"m/s^2", "mg", "0.00980665 m/s^2", 9.80665e-3},
    {"m/s^2", "cm/s²", "1 cm/s^2", 1e-2},
    {"m/s^2", "mm/s²", "1 mm/s^2", 1e-3},
    {"N", "N", "1 N", 1},
    {"N", "mN", "1 mN", 1e-3},
    {"N", "µN", "1 uN", 1e-6},
    {"N", "kN", "1 kN", 1e3},
    {"N", "gram-force", "9.80665 mN", 9.80665e-3},
    {"N", "kilogram-force", "9.80665 N", 9.80665},
};

}  // namespace pithball::optim
