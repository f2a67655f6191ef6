#pragma once
#include <optional>
#include <vector>

#include "optim/screening/start_readings.hpp"

namespace pithball::optim {

/// Markers of a recording that fit the simulated start in another order.
struct MarkerOrder {
  std::vector<Index> follows;  ///< M: the recorded marker m is where marker follows[m] is simulated
  std::vector<Index> moved;    ///< markers with follows[m] ≠ m
  Index frames = 0;            ///< the first frames over which they were compared
  SquareSum written,           ///< of the moved markers, in the order as written
      other;                   ///< in the other one
};

/// Compares the first frames of a recording with the simulated ones in every order of the markers, as an assignment
/// problem (assignment.hpp). Each cycle of exchanged markers counts only if its order is better (`ReadingTest`) and
/// unique: any exchange of two of its markers with another must be worse by the same likelihood ratio. Empty: the order
/// as written is right, or nothing is decidable. `shifts`: the placement is a start value, so that a common shift of
/// all markers is subtracted. Recordings of more than 400 markers are not compared.
std::optional<MarkerOrder> find_marker_order(const StartReadings& readings, bool shifts);

}  // namespace pithball::optim
