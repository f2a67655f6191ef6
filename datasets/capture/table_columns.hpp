#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "datasets/capture/capture_spec.hpp"
#include "datasets/capture/column_name.hpp"
#include "datasets/text/csv_table.hpp"

namespace pithball::datasets {

/// A point given by columns of a table; a coordinate without a column was not recorded.
struct HeaderPoint {
  std::string name;                             ///< "1", "m1", "0" for bare axes
  std::array<std::optional<Index>, 3> columns;  ///< of x, y, z, from 0; empty: not recorded
};

/// The readings that a recording needs from a table.
struct Wanted {
  Quantity quantity = Quantity::Length;                ///< of the measurement kind
  std::vector<std::string> components{"x", "y", "z"};  ///< of one reading
  bool has_scale =
      false;  ///< a unit has a given length: pixels are lengths, too, and so is any column named by the spec
};

/// The columns of a table by the meaning of their names, and of a line of units below the names.
class TableColumns {
 public:
  /// Names of a table. The words that may be units or names of points are settled by their neighbors: "x_m, y_m" are
  /// meters, but "x_m, y_m, x_n, y_n" two points.
  explicit TableColumns(const CsvTable& table);
  /// The same of a header alone, which messages name as `path`.
  TableColumns(const std::vector<std::string>& names, const std::string& path);

  /// The meaning of a column, from 0.
  const ColumnName& operator[](Index column) const { return meanings_[column]; }
  /// The columns of this quantity that have no axis, in order.
  std::vector<Index> of(Quantity quantity) const;
  /// The one column of times, or of frames: the only one, or the only one with the plain name; empty: none or several.
  std::optional<Index> only(Quantity quantity) const;

  /// The points of the header whose coordinates are of the requested quantity, in its order: with the axis first, as in
  /// x1 or x_m1, or last, as in m1_x. Throws InvalidArgument at the header if there is none, if names are not
  /// understood or are of another quantity, if both styles occur, axes differ, or a coordinate is named twice.
  std::vector<HeaderPoint> find_points(const Wanted& wanted) const;

  /// Throws InvalidArgument if a column that is named as a coordinate holds something other than the requested
  /// quantity.
  void check_quantity(Index column, const Wanted& wanted) const;

  /// The unit in which these columns are, as written; empty: none. Throws InvalidArgument if they have several, or only
  /// some have one.
  std::string unit_of(const std::vector<Index>& columns) const;

  /// The frame of reference with the unit of these columns as its scale. Throws InvalidArgument if it has another
  /// scale.
  CaptureFrame in_unit_of(const std::vector<Index>& columns, Quantity wanted_quantity, CaptureFrame frame) const;

 private:
  /// A point as it is collected from the header.
  struct Found {
    HeaderPoint point;
    AxisPlace place = AxisPlace::None;
    bool is_certain = false;  ///< an axis is separated from the rest of a name
  };

  const std::string& name_of(Index column) const { return names_[column]; }
  void settle_loose_words();
  bool fits(const ColumnName& column, const Wanted& wanted) const;
  [[noreturn]] void reject_without_points(const Wanted& wanted) const;
  void reject_unclear(const Wanted& wanted) const;
  std::vector<HeaderPoint> find_single_readings(const Wanted& wanted) const;
  std::vector<HeaderPoint> settled(std::vector<Found> found, const Wanted& wanted) const;
  std::vector<std::string> unused_names(const std::vector<Found>& found) const;
  void reject_incomplete(const std::vector<Found>& found, bool any_three) const;
  void check_axes(const std::vector<HeaderPoint>& points) const;

  std::vector<std::string> names_;
  std::string path_, header_place_;  ///< for messages
  std::vector<ColumnName> meanings_;
};

}  // namespace pithball::datasets
