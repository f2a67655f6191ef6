#pragma once
#include "experiments/bench/dense_matrices.hpp"

namespace pithball::experiments {

/// Degrees at which boxes so far apart interact: those of the fast multipole method, or all of them.
enum class DistantOrder { Reduced, Full };

/// Solid harmonics, moved by rotations: the fast multipole method's own code.
class RotatedHarmonics final : public ExpansionCandidate {
 public:
  RotatedHarmonics(int order, DistantOrder distant);
  int order() const override { return points_.order(); }
  int size() const override { return sim::fmm::coefficients(order()); }
  void add_moments(const PointRanges& boxes, const double* charge, double* const* coefficient) const override;
  void add_field(const double* const* coefficient, const PointRanges& boxes, double* const* field) const override;
  void translate(const sim::fmm::Offset& offset, int count, const double* const* from,
                 double* const* to) const override;
  double matrix_bytes() const override;

  const sim::fmm::Translation& translation(const sim::fmm::Offset& offset) const {
    return translations_.multipole_to_local(sim::fmm::Translations::number_of(offset));
  }

 private:
  sim::fmm::PointExpansion points_;
  sim::fmm::Translations translations_;
};

/// The same expansions, moved by one dense matrix for each offset.
class DenseHarmonics final : public ExpansionCandidate {
 public:
  DenseHarmonics(int order, DistantOrder distant);
  int order() const override { return rotated_.order(); }
  int size() const override { return rotated_.size(); }
  void add_moments(const PointRanges& boxes, const double* charge, double* const* coefficient) const override {
    rotated_.add_moments(boxes, charge, coefficient);
  }
  void add_field(const double* const* coefficient, const PointRanges& boxes, double* const* field) const override {
    rotated_.add_field(coefficient, boxes, field);
  }
  void translate(const sim::fmm::Offset& offset, int count, const double* const* from,
                 double* const* to) const override {
    add_products(matrices_.at(representative(offset)), count, from, to);
  }
  double matrix_bytes() const override { return bytes_for_all_offsets(matrices_); }

 private:
  RotatedHarmonics rotated_;
  DenseMatrices matrices_;
};

}  // namespace pithball::experiments
