#pragma once
// Pressure of a fluid as a function of its density alone.

#include <algorithm>
#include <cmath>

namespace pithball::sim::kernel {

/// Forces need P/ρ² [J m³/kg²], energies u [J/kg] with du/dρ = P/ρ².
struct FluidPressure {
  double over_density_squared = 0;  ///< P/ρ² [J m³/kg²]
  double specific_energy = 0;       ///< u [J/kg], per mass
};

/// P = K ρ^γ, u = K ρ^{γ−1}/(γ − 1), γ > 1: a gas at constant entropy.
struct Polytropic {
  double constant,  ///< K [Pa (m³/kg)^γ]
      exponent;     ///< γ > 1
  /// At ρ > 0 [kg/m³].
  FluidPressure operator()(double rho) const {
    const double power = constant * std::pow(rho, exponent - 2);
    return {power, power * rho / (exponent - 1)};
  }
  /// √(dP/dρ) [m/s].
  double sound_speed_at(double rho) const { return std::sqrt(exponent * constant * std::pow(rho, exponent - 1)); }
};

/// Tait's equation for liquids (Monaghan, J. Comput. Phys. 110, 1994, Eq. 3.1): P = (ρ₀ c²/γ) [(ρ/ρ₀)^γ − 1], with u =
/// 0 and P = 0 at the rest density ρ₀, where the speed of sound is c. Negative pressure at a free surface, where
/// neighbors are missing, would pull particles into clumps and into walls: without `tension`, P and u are 0 below ρ₀.
struct Tait {
  double rest_density,   ///< ρ₀ [kg/m³]
      sound_speed,       ///< c [m/s]
      exponent;          ///< γ > 1, 7 for water
  bool tension = false;  ///< P < 0 below the rest density
  /// At ρ > 0 [kg/m³].
  FluidPressure operator()(double rho) const {
    if (!tension && rho < rest_density) return {};
    const double scale = rest_density * sound_speed * sound_speed / exponent, ratio = rho / rest_density;
    const double power = std::pow(ratio, exponent);
    // ∫ P/ρ² dρ from ρ₀, whose two parts nearly cancel near ρ₀.
    const double energy = scale / rest_density * ((std::pow(ratio, exponent - 1) - 1) / (exponent - 1) + 1 / ratio - 1);
    return {scale * (power - 1) / (rho * rho), energy};
  }
  /// √(dP/dρ) [m/s]; at and below the rest density its value at rest.
  double sound_speed_at(double rho) const {
    return sound_speed * std::pow(std::max(1.0, rho / rest_density), (exponent - 1) / 2);
  }
};

}  // namespace pithball::sim::kernel
