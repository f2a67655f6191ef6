#include "optim/residual/adjoint_measurements.hpp"

namespace pithball::optim {

Eigen::MatrixXd gather_gradients(diff::AdjointRollout& run, const ReadingSlopes& slopes,
                                 const Eigen::Ref<const Eigen::MatrixXd>& W) {
  std::vector<ReadingSlopes::Gradient> direct;
  for (Index c = 0; c < W.cols(); ++c) direct.push_back(slopes.pull_back(W.col(c)));
  std::vector<diff::Seed> seeds;
  for (const ReadingSlopes::Gradient& gradient : direct)
    seeds.emplace_back([&](Index n, const sim::State&, Points& gx, Points& gv) {
      slopes.measurement().add_seed(n, gradient.inputs, gx, gv);
    });
  const Eigen::MatrixXd of_run = run.backward(seeds);
  Eigen::MatrixXd all(of_run.rows() + RecordingFrame::size(), W.cols());
  for (Index c = 0; c < W.cols(); ++c) {
    all.col(c) << of_run.col(c), direct[c].recording_frame;
    all.col(c).head(direct[c].model_values.size()) += direct[c].model_values;
  }
  return all;
}

}  // namespace pithball::optim
