#pragma once
#include <string>

#include "app/result/fit_record.hpp"

namespace pithball::app {

/// Summary of a fit in two sentences:
///
///    The fit converged after 4 iterations and fits: misfit 4.93 mm, 1.01 × the noise, reduced χ² 0.975. charge
///    59.93(11) nC, stiffness 10.00(7) N/m.
///
/// A fault of a recording that the file does not answer (screening_record.hpp) follows the first words, with its key.
/// With several recordings, the misfit is the largest one relative to the noise. Unknown quantities are omitted, such
/// as χ² if sigma is only a weight. The first three parameters are listed, then the number of the others.
std::string fit_headline(const FitRecord& fit);

/// "charge 59.93(11) nC", "linear_drag < 59 mg/s (95 %)", "mass not identifiable"; where χ² is rough, "stiffness 80.2
/// N/m (95 % interval 70.4 N/m to 83.8 N/m)".
std::string parameter_headline(const optim::FittedParameter& parameter, double confidence);

}  // namespace pithball::app
