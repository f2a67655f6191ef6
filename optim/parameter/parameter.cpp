#include "optim/parameter/parameter.hpp"

#include <cmath>

#include "sim/core/error.hpp"

namespace pithball::optim {

Transform::Transform(Kind kind, double scale) : kind_(kind), scale_(kind == Kind::Scaled ? scale : 1) {
  if (kind == Kind::Automatic) throw InvalidArgument({"", "transform", "must be identity, log or scaled", "auto", ""});
  if (!(scale_ > 0) || !std::isfinite(scale_))
    throw InvalidArgument({"", "transform", "must have a finite scale > 0", std::to_string(scale_), ""});
}

double Transform::value(double theta) const { return kind_ == Kind::Log ? std::exp(theta) : scale_ * theta; }

double Transform::theta(double value) const { return kind_ == Kind::Log ? std::log(value) : value / scale_; }

double Transform::derivative(double theta) const { return kind_ == Kind::Log ? std::exp(theta) : scale_; }

std::string to_string(Transform::Kind kind) {
  switch (kind) {
    case Transform::Kind::Automatic:
      return "auto";
    case Transform::Kind::Identity:
      return "identity";
    case Transform::Kind::Log:
      return "log";
    case Transform::Kind::Scaled:
      return "scaled";
  }
  return "";
}

}  // namespace pithball::optim
