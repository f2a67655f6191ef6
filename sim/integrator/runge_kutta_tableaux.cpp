#include "sim/integrator/runge_kutta.hpp"

namespace pithball::sim {
namespace {

/// Of an explicit method whose positions and velocities have the same order.
IntegratorInfo explicit_method(const char* name, const char* summary, int order, int stages) {
  return {.name = name,
          .summary = summary,
          .position_order = order,
          .velocity_order = order,
          .force_evaluations = stages,
          .supports = {.tracers = true}};
}

}  // namespace

const std::vector<RungeKuttaTableau>& runge_kutta_tableaux() {
  static const std::vector<RungeKuttaTableau> tableaux{
      // Euler 1768.
      {explicit_method("explicit_euler",
                       "all forces at the beginning of the step, first order: gains energy; for comparison", 1, 1),
       {{}},
       {1}},
      // Runge 1895.
      {explicit_method("midpoint", "explicit midpoint rule, second order, two force evaluations", 2, 2),
       {{}, {1 / 2.0}},
       {0, 1}},
      // Heun 1900, the explicit trapezoidal rule.
      {explicit_method("heun", "explicit trapezoidal rule, second order, two force evaluations", 2, 2),
       {{}, {1}},
       {1 / 2.0, 1 / 2.0}},
      // Ralston's method as Chapra and Canale give it (2010, section 25.3): weights 1/3 and 2/3.
      {explicit_method("ralston", "second order with a small error bound, two force evaluations", 2, 2),
       {{}, {3 / 4.0}},
       {1 / 3.0, 2 / 3.0}},
      // Kutta 1901, the classical method.
      {explicit_method("rk4", "the classical Runge–Kutta method, fourth order: smooth motion, reference solutions", 4,
                       4),
       {{}, {1 / 2.0}, {0, 1 / 2.0}, {0, 0, 1}},
       {1 / 6.0, 1 / 3.0, 1 / 3.0, 1 / 6.0}},
      // Kutta 1901, the 3/8 rule.
      {explicit_method("rk4_38", "Kutta's 3/8 rule, fourth order with a smaller error than rk4", 4, 4),
       {{}, {1 / 3.0}, {-1 / 3.0, 1}, {1, -1, 1}},
       {1 / 8.0, 3 / 8.0, 3 / 8.0, 1 / 8.0}},
  };
  return tableaux;
}

const RungeKuttaTableau& runge_kutta_tableau(const std::string& name) {
  std::size_t k = 0;
  while (runge_kutta_tableaux().at(k).info.name != name) ++k;
  return runge_kutta_tableaux()[k];
}

}  // namespace pithball::sim
