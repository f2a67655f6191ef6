#pragma once
#include <array>
#include <span>
#include <vector>

#include "sim/coulomb/coulomb_sum.hpp"
#include "sim/coulomb/ddef/ddef_coulomb_sum.hpp"

namespace pithball::sim {

/// A list of indices for each k, all in one array.
class IndexLists {
 public:
  std::size_t size() const { return begin_.size() - 1; }  ///< number of lists
  /// List k, valid until the next `push_back`.
  std::span<const Index> operator[](Index k) const {
    return {items_.data() + begin_[k], items_.data() + begin_[static_cast<std::size_t>(k) + 1]};
  }
  /// Where list k begins in the array of all items.
  Index begin(Index k) const { return begin_[k]; }
  Index items() const { return items_.size(); }  ///< number of indices in all lists
  /// Appends a copy as the last list.
  void push_back(const std::vector<Index>& list) {
    items_.insert(items_.end(), list.begin(), list.end());
    begin_.push_back(items());
  }

 private:
  std::vector<Index> begin_{0}, items_;
};

/// What DDEF decides from N positions: a grid of m Halton points (bases 2, 3, 5) in the padded bounding box and its 8
/// corners, their Delaunay tetrahedra, the tetrahedron of every point, and which tetrahedra are near each other. Only
/// tetrahedra that hold a point matter; they are the *cells*, numbered along a Hilbert curve, and points of one cell
/// lie side by side in *slots*. Two cells are neighbors when they share a vertex; each is its own neighbor.
class DdefStructure final : public CoulombSum::Structure {
 public:
  /// Positions that are not finite, or as far apart as 1e50 m, give an invalid structure instead of an exception:
  /// a run that diverges reports that itself.
  DdefStructure(const Points& x, const DdefOptions& options);

  /// A point on the boundary of its tetrahedron has not crossed; decided exactly.
  Index crossings(const Points& x) const override;

  bool valid() const { return valid_; }                ///< false: there are no cells, and nothing can be summed
  Index points() const { return slot_point_.size(); }  ///< number of slots, N; 0 if not valid
  Index cells() const { return corners_.size(); }      ///< number of tetrahedra that hold a point
  /// Grid vertices [m], 3×(m + 8).
  const Points& vertices() const { return vertices_; }
  /// The four vertices of a cell, positively oriented.
  const std::array<Index, 4>& corners(Index cell) const { return corners_[cell]; }
  Index cell_of_point(Index point) const { return point_cell_[point]; }  ///< the cell that a point was in

  /// The point in a slot.
  Index point(Index slot) const { return slot_point_[slot]; }
  /// The cell's slots are first_slot(cell) … first_slot(cell + 1) − 1.
  Index first_slot(Index cell) const { return first_slot_[cell]; }
  /// For each cell its first slot, and at the end the number of points; cells() + 1 entries.
  const std::vector<Index>& first_slots() const { return first_slot_; }

  /// For each vertex, the cells that have it as a corner.
  const IndexLists& cells_at_vertex() const { return cells_at_vertex_; }
  /// For each cell, the cells whose charges are summed directly: its neighbors, or itself alone (`PaperText`).
  const IndexLists& near_cells() const { return near_cells_; }
  /// For each cell, the vertices of its neighbors that are not its own, ascending: there its charges are counted as
  /// far field although the neighbor also sums them directly. Empty unless the variant corrects that.
  const IndexLists& counted_twice_at() const { return counted_twice_at_; }

 private:
  void triangulate(const Points& x);
  void find_neighbors(const DdefOptions& options);

  bool valid_ = true;
  Points vertices_;
  std::vector<std::array<Index, 4>> corners_;
  std::vector<Index> point_cell_, slot_point_, first_slot_{0};
  IndexLists cells_at_vertex_, near_cells_, counted_twice_at_;
};

}  // namespace pithball::sim
