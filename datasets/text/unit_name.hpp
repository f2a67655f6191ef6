#pragma once
#include <optional>
#include <string_view>

namespace pithball::datasets {

/// What a column of a recording holds. The first seven have units.
enum class Quantity {
  Length,        ///< positions and distances [m]
  Pixel,         ///< places in an image [px]
  Angle,         ///< [rad]
  Velocity,      ///< [m/s]
  Acceleration,  ///< [m/s²]
  Force,         ///< [N]
  Time,          ///< [s]
  Frame,         ///< frame numbers
  Identity,      ///< names or numbers of markers, in a table with one row for each marker and frame
  Likelihood,    ///< how sure a tracker was, 0 to 1
  Other,         ///< understood, and of no use for a fit: a temperature, an error, an angular velocity
  Unknown,       ///< not understood
};

/// "positions", "pixels", …: what a column of this quantity holds, in the plural.
const char* plural(Quantity quantity);

/// A unit and its size.
struct UnitName {
  Quantity quantity = Quantity::Unknown;  ///< one of the first seven, Frame or Other
  double factor = 1;                      ///< SI units (or pixels, or frames) in one of it
};

/// The unit with this name: "mm", "Micron", "µm", "pixel", "deg", "m/s²", "m s^-2", "g", "mN", "ms", …; empty if it is
/// none. Case matters only where it distinguishes units (mN and MN), and full words may have a capital letter.
std::optional<UnitName> find_unit(std::string_view name);

}  // namespace pithball::datasets
