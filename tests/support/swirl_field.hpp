#pragma once
#include <cmath>

#include "sim/field/vector_field.hpp"

namespace pithball::tests {

/// A smooth field that varies in space and time, with its derivative by hand.
class SwirlField final : public sim::VectorField {
 public:
  explicit SwirlField(double strength) : a_(strength) {}
  sim::Vec3 value(const sim::Vec3& x, double t) const override {
    return a_ * sim::Vec3(std::sin(x[1]) + t, x[0] * x[2], std::cos(x[0]) - x[1]);
  }
  sim::Mat3 jacobian(const sim::Vec3& x, double) const override {
    sim::Mat3 J;
    J << 0, std::cos(x[1]), 0, x[2], 0, x[0], -std::sin(x[0]), -1, 0;
    return a_ * J;
  }

 private:
  double a_;
};

}  // namespace pithball::tests
