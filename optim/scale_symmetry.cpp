#include "optim/scale_symmetry.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "sim/core/error.hpp"

namespace pithball::optim {
namespace {

/// The exponents of λ in two variants of the symmetry; see ScaleSymmetry.
struct Exponent {
  std::string_view value;
  std::array<double, 2> of;  ///< charges act on each other; they do not
};
constexpr std::array<Exponent, 26> exponents{{{"mass", {1, 1}},
                                              {"stiffness", {1, 1}},
                                              {"strain_stiffness", {1, 1}},
                                              {"damping", {1, 1}},
                                              {"linear_drag", {1, 1}},
                                              {"quadratic_drag", {1, 1}},
                                              {"dry_friction", {1, 1}},
                                              {"lennard_jones_energy", {1, 1}},
                                              {"pair_potential_strength", {1, 1}},
                                              {"contact_stiffness", {1, 1}},
                                              {"contact_damping", {1, 1}},
                                              {"plane_penalty_stiffness", {1, 1}},
                                              {"plane_penalty_damping", {1, 1}},
                                              {"plane_penalty_tangential_damping", {1, 1}},
                                              {"sphere_penalty_stiffness", {1, 1}},
                                              {"sphere_penalty_damping", {1, 1}},
                                              {"sphere_penalty_tangential_damping", {1, 1}},
                                              {"box_penalty_stiffness", {1, 1}},
                                              {"box_penalty_damping", {1, 1}},
                                              {"box_penalty_tangential_damping", {1, 1}},
                                              {"field_potential", {1, 1}},
                                              {"electric_potential", {0.5, 0}},
                                              {"gravitational_constant", {-1, -1}},
                                              {"charge", {0.5, 1}},
                                              {"electric_field", {0.5, 0}},
                                              {"point_charge", {0.5, 0}}}};

double exponent_of(const std::string& value, std::size_t variant) {
  for (const Exponent& e : exponents)
    if (e.value == value) return e.of[variant];
  return 0;
}

}  // namespace

std::string ScaleSymmetry::sentence() const {
  std::string list;
  for (std::size_t k = 0; k < members.size(); ++k)
    list += (k == 0 ? "" : k + 1 < members.size() ? ", " : " and ") + members[k];
  return list + " can " + (members.size() == 2 ? "both" : "all") +
         " be multiplied by one factor without any change of the motion; hold one of them fixed, best a mass, "
         "or let a known force act";
}

std::optional<ScaleSymmetry> find_scale_symmetry(const ParameterMap& map, const Vector& theta, const Eigen::MatrixXd& J,
                                                 double tolerance) {
  const Index P = map.size();
  if (theta.size() != P || J.cols() != P)
    throw InvalidArgument({"", "scale symmetry", "theta and Jacobian must have one entry for each parameter",
                           std::to_string(theta.size()) + ", " + std::to_string(J.cols()), ""});
  const Vector p = map.physical(theta), slope = map.physical_derivative(theta);
  for (std::size_t variant = 0; variant < 2; ++variant) {
    ScaleSymmetry symmetry{Vector::Zero(P), {}};
    for (Index k = 0; k < P; ++k)  // dp/d(log λ) = exponent · p
      symmetry.direction[k] = exponent_of(map.info()[static_cast<std::size_t>(k)].value, variant) * p[k] / slope[k];
    const Vector parts = symmetry.direction.cwiseAbs().cwiseProduct(J.colwise().norm().transpose());
    const double largest = parts.size() > 0 ? parts.maxCoeff() : 0;
    for (Index k = 0; k < P; ++k) {
      if (parts[k] <= tolerance * largest) continue;  // without effect: it takes no part
      const std::string& value = map.info()[static_cast<std::size_t>(k)].value;
      const std::string member = exponent_of(value, variant) == 0.5 ? value + "²" : value;
      if (std::find(symmetry.members.begin(), symmetry.members.end(), member) == symmetry.members.end())
        symmetry.members.push_back(member);
    }
    if (symmetry.members.size() > 1 && (J * symmetry.direction).norm() <= tolerance * parts.norm()) return symmetry;
  }
  return std::nullopt;
}

}  // namespace pithball::optim
