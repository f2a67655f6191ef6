#pragma once
#include <vector>

#include "sim/core/types.hpp"

namespace pithball::optim {

/// R o: an offset o from a line or plane, turned with it, and its derivatives by the tangents.
struct TurnedOffset {
  sim::Vec3 value;                    ///< R o [m]
  std::vector<sim::Mat3> by_tangent;  ///< ∂(R o)/∂f_a for each tangent f_a
};

/// The offset that `offset` becomes when the orthonormal directions `before` (3×k) of the span have become the tangents
/// `after` (3×k). R is, with the unit vectors t = f before and n = f/|f| after,
///    k = 1:  the rotation from t to n without twist,  R o = o − (n·o)/(1 + n·t) (t + n)    for o ⟂ t,
///    k = 2:  the turn of the normal,                  R o = ±|o| (f_1 × f_2)/|f_1 × f_2|,
/// and the identity for k = 0 and, as there are no offsets, k = 3.
TurnedOffset turn_offset(const sim::Vec3& offset, const sim::Points& before, const sim::Points& after);

}  // namespace pithball::optim
