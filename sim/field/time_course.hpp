#pragma once
#include <vector>

namespace pithball::sim {

/// A time at which a function of time is not smooth.
struct Switch {
  /// What is not continuous there.
  enum class Kind {
    Jump,  ///< the function: it is another one from that time on
    Bend,  ///< its derivative
    Knot,  ///< its second derivative: of a spline
  };
  double t;   ///< [s]
  Kind kind;  ///< the lowest derivative that is not continuous
};

/// How a function of time varies between two times.
struct TimeCourse {
  std::vector<Switch> switches = {};  ///< in any order
  bool varies = false;                ///< whether it may vary other than linearly between the two times
};

}  // namespace pithball::sim
