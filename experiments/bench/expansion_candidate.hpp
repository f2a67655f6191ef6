#pragma once
#include <vector>

#include "sim/coulomb/fmm/expansion.hpp"
#include "sim/coulomb/fmm/translation.hpp"

namespace pithball::experiments {

/// All 316 offsets of boxes whose expansions interact somewhere in a tree.
std::vector<sim::fmm::Offset> far_offsets();

/// The offset with the same components but for order and signs, 0 ≤ x ≤ y ≤ z: all far pairs are turned or mirrored
/// images of 16 such pairs.
sim::fmm::Offset representative(sim::fmm::Offset offset);
/// These 16.
std::vector<sim::fmm::Offset> representatives();

using PointRanges = std::vector<sim::fmm::PointRange>;

/// A way to carry the potential of the charges of one box to the points of another: sources make coefficients, these
/// are translated from box to box, and the field is evaluated from the result. Boxes are unit cubes around the origin.
class ExpansionCandidate {
 public:
  virtual ~ExpansionCandidate() = default;

  /// What the accuracy depends on: degrees of harmonics, nodes on an axis.
  virtual int order() const = 0;
  /// Numbers that represent a box.
  virtual int size() const = 0;
  /// coefficient[b] += those of the charges at the points of box b; `charge` is numbered as the points are.
  virtual void add_moments(const PointRanges& boxes, const double* charge, double* const* coefficient) const = 0;
  /// field[a][i] += −∂φ/∂x_a at the points i of each box b, from coefficient[b].
  virtual void add_field(const double* const* coefficient, const PointRanges& boxes, double* const* field) const = 0;
  /// to[l] += from[l] moved by the offset (target minus source, in box sides), l = 0…count − 1. Candidates with dense
  /// matrices hold those of `representative` offsets alone and take them for all their images, which costs the same
  /// time.
  virtual void translate(const sim::fmm::Offset& offset, int count, const double* const* from,
                         double* const* to) const = 0;
  /// Of all matrices for the 316 offsets of a tree [bytes].
  virtual double matrix_bytes() const = 0;
};

}  // namespace pithball::experiments
