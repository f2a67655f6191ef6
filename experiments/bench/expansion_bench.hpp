#pragma once
#include <string>
#include <vector>

namespace pithball::experiments {

/// What a box exchanges with the boxes of its far list.
struct FarListFigures {
  int boxes = 0;                   ///< of the list
  double translation_seconds = 0;  ///< of one pair, averaged over the list
  double seconds() const { return boxes * translation_seconds; }
};

/// One candidate at one tolerance.
struct ExpansionRow {
  std::string candidate;
  double tolerance = 0;
  int order = 0;         ///< degrees of harmonics, or nodes on an axis
  int coefficients = 0;  ///< of a box
  double error = 0;   ///< relative L2 of the field over a list; the worse of two lists, charges mixed and of one sign
  double target = 0;  ///< error to reach: that of the fast multipole method at this tolerance
  double moments_seconds = 0, field_seconds = 0;  ///< of one point
  double matrix_bytes = 0;                        ///< for all offsets of a tree
  FarListFigures volume, surface;                 ///< boxes in space (189), in one layer (27)
};

/// Names, the fast multipole method's own way first.
const std::vector<std::string>& expansion_candidates();

/// Expansions that could carry a fast multipole method's far field, each at the lowest order at which it is as accurate
/// as the method's own at this tolerance (grids that are not with 18 nodes on an axis are left out), on one thread. The
/// method's own is always among them. Boxes hold 64 random points. Times are the least
/// processor times of at least `rounds` turns,
/// which the candidates take one after another.
std::vector<ExpansionRow> measure_expansions(double tolerance, const std::vector<std::string>& candidates, int rounds);

}  // namespace pithball::experiments
