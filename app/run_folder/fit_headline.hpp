#pragma once
#include <string>

#include "app/run_folder/fit_record.hpp"

namespace pithball::app {

/// What a fit found, in two sentences:
///
///    The fit converged after 4 iterations and fits: misfit 4.93 mm, 1.01 × the noise, reduced χ² 0.975. charge
///    59.93(11) nC, stiffness 10.00(7) N/m.
///
/// Of several recordings the misfit is that of the one that is furthest away beside its noise. What is not known, such
/// as a χ² in units of a sigma that is no scatter, is left out. The first three parameters are named, how many more
/// there are is said.
std::string fit_headline(const FitRecord& fit);

/// "charge 59.93(11) nC", "linear_drag < 59 mg/s (95 %)", "mass not identifiable".
std::string parameter_headline(const optim::FittedParameter& parameter, double confidence);

}  // namespace pithball::app
