#include "optim/residual/adjoint_measurements.hpp"

namespace pithball::optim {

Vector gather_gradient(diff::AdjointRollout& run, const ReadingSlopes& slopes, const Eigen::Ref<const Vector>& w) {
  const ReadingSlopes::Gradient direct = slopes.pull_back(w);
  Vector of_run = run.backward([&](Index n, const sim::State&, Points& gx, Points& gv) {
    slopes.measurement().add_seed(n, direct.inputs, gx, gv);
  });
  of_run.head(direct.model_values.size()) += direct.model_values;
  Vector all(of_run.size() + direct.recording_frame.size());
  all << of_run, direct.recording_frame;
  return all;
}

}  // namespace pithball::optim
