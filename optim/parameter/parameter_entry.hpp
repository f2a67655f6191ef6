#pragma once
#include <cmath>
#include <vector>

#include "sim/core/types.hpp"

namespace pithball::optim {

using sim::Index;
using sim::Vector;

/// Weight of a parameter in an entry.
struct ParameterShare {
  Index parameter = 0;  ///< number in θ
  double weight = 1;    ///< w_k
};

/// An entry of a scenario's flat values that depends on parameters,
///    value = offset + scale · c,   c = Σ_k w_k p_k,   or on a logarithmic scale   c = exp Σ_k w_k log p_k,
/// where k runs over one parameter, its own or shared, or over those of the surrounding control points of a smooth
/// field.
struct ParameterEntry {
  Index index = 0;                     ///< number in the flat values
  double offset = 0,                   ///< [unit of the value]
      scale = 1;                       ///< [unit of the value per unit of p], or of c
  bool logarithmic = false;            ///< all p_k and c are positive
  std::vector<ParameterShare> shares;  ///< the parameters k of the sum, with their weights

  /// The value for the parameters p.
  double value(const Vector& p) const { return offset + scale * combination(p); }
  /// Calls add(k, ∂value/∂p_k) for every parameter k on which it depends.
  template <class Add>
  void differentiate(const Vector& p, Add add) const {
    const double c = logarithmic ? combination(p) : 1;
    for (const ParameterShare& share : shares)
      add(share.parameter, scale * share.weight * (logarithmic ? c / p[share.parameter] : 1));
  }

 private:
  double combination(const Vector& p) const {
    double sum = 0;
    for (const auto& [k, w] : shares) sum += w * (logarithmic ? std::log(p[k]) : p[k]);
    return logarithmic ? std::exp(sum) : sum;
  }
};

}  // namespace pithball::optim
