#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "datasets/text/unit_name.hpp"

namespace pithball::datasets {

/// Position of the axis in the name of a column.
enum class AxisPlace { None, First, Last };

/// The meaning of one column name of a table: "left_ball x (mm)" is the coordinate x of the point left_ball, a length
/// in mm. docs/column_names.md lists spellings and their meaning.
struct ColumnName {
  Quantity quantity = Quantity::Unknown;   ///< what the column holds
  bool names_quantity = false;             ///< by a word or a unit; false: a bare axis, as in "x1"
  std::optional<int> axis;                 ///< 0, 1, 2: x, y, z, or u, v of an image
  AxisPlace axis_place = AxisPlace::None;  ///< position of the axis
  std::string point;                       ///< the rest of the name, as written: "left_ball"; often empty
  std::string unit;                        ///< as written; empty: none
  double factor = 1;                       ///< SI units (or pixels) in one of `unit`
  /// A word taken as unit or quantity that may as well be the name of a point: "m" of "x_m", "a" of "a_x"; empty: none.
  std::string loose_word;
  /// True: axis and point are not separated, as in "xA" or "yaw": a coordinate only if others are named in the same
  /// way.
  bool axis_is_loose = false;
  /// A word in brackets, or a unit, that contradicts the rest or is not known: "(left)"; empty: none.
  std::string unclear;
};

/// Splits the name of a column into point, axis, quantity and unit, in any order that recorders and people use. A name
/// without any of these has the quantity Unknown.
ColumnName parse_column_name(std::string_view name);

/// The same column with its loose word as the name of its point.
ColumnName with_named_point(ColumnName column);

}  // namespace pithball::datasets
