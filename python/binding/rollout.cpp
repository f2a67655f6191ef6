#include <mutex>

#include "python/binding/arrays.hpp"

namespace pithball::python {
namespace {

using namespace nb::literals;
using app::Motion;
using Gradient = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

/// T×N×3 numbers, or none.
Eigen::MatrixXd to_columns(const std::optional<Gradient>& g) {
  if (!g) return {};
  const auto frames = static_cast<Eigen::Index>(g->shape(0));
  const auto rows = static_cast<Eigen::Index>(g->shape(1) * g->shape(2));
  return Eigen::Map<const Eigen::MatrixXd>(g->data(), rows, frames);
}

nb::tuple to_tuple(Motion motion) {
  const std::vector<std::size_t> shape{static_cast<std::size_t>(motion.x.cols()),
                                       static_cast<std::size_t>(motion.x.rows() / 3), 3};
  return nb::make_tuple(to_array(std::move(motion.x), shape), to_array(std::move(motion.v), shape));
}

/// Positions or velocities of all motions as one array B×T×N×3.
nb::ndarray<nb::numpy, double> stack(const std::vector<app::JudgedMotion>& motions, Eigen::MatrixXd Motion::*part,
                                     Eigen::Index rows, Eigen::Index frames) {
  Eigen::MatrixXd all(rows, frames * static_cast<Eigen::Index>(motions.size()));
  for (std::size_t b = 0; b < motions.size(); ++b)
    all.middleCols(static_cast<Eigen::Index>(b) * frames, frames) = motions[b].motion.*part;
  return to_array(std::move(all),
                  {motions.size(), static_cast<std::size_t>(frames), static_cast<std::size_t>(rows / 3), 3});
}

/// A recorded rollout that several Python threads may hold.
class Recorded {
 public:
  Recorded(std::shared_ptr<const app::ValueRollout> rollout, const Vector& p)
      : rollout_(std::move(rollout)), recorded_(*rollout_, p, SignalCheck()) {}
  Motion motion() const { return recorded_.motion(); }
  Vector pull_back(const Motion& gradient) {
    const std::lock_guard lock(one_at_a_time_);
    return recorded_.pull_back(gradient);
  }

 private:
  std::shared_ptr<const app::ValueRollout> rollout_;
  app::RecordedRollout recorded_;
  std::mutex one_at_a_time_;
};

}  // namespace

void bind_rollout(nb::module_& module) {
  nb::class_<Recorded>(module, "RecordedRollout", "A rollout with its tape.")
      .def(
          "motion", [](const Recorded& self) { return to_tuple(self.motion()); },
          "Positions and velocities, (T, N, 3).")
      .def(
          "pull_back",
          [](Recorded& self, const std::optional<Gradient>& gx, const std::optional<Gradient>& gv) {
            const Motion gradient{to_columns(gx), to_columns(gv)};
            return to_array(released([&] { return self.pull_back(gradient); }));
          },
          "gx"_a = nb::none(), "gv"_a = nb::none(), "dL/dθ for dL/dx and dL/dv, each (T, N, 3) or None.");

  nb::class_<app::ValueRollout>(module, "ValueRollout", "The motion as a function of values.")
      .def_prop_ro("names",
                   [](const app::ValueRollout& self) { return collect(self.values(), &optim::ParameterInfo::name); })
      .def_prop_ro("units",
                   [](const app::ValueRollout& self) { return collect(self.values(), &optim::ParameterInfo::unit); })
      .def_prop_ro(
          "start", [](const app::ValueRollout& self) { return to_array(self.start()); }, nb::rv_policy::automatic)
      .def_prop_ro(
          "times", [](const app::ValueRollout& self) { return to_array(self.times()); }, nb::rv_policy::automatic)
      .def_prop_ro("particles", [](const app::ValueRollout& self) { return static_cast<long>(self.particles()); })
      .def(
          "doubts",
          [](const app::ValueRollout& self, const Numbers& theta) {
            const Vector p = to_vector(theta);
            return released([&] { return self.doubts(p); });
          },
          "theta"_a, "Why derivatives at θ are not those of the motion.")
      .def(
          "run",
          [](const app::ValueRollout& self, const Numbers& theta) {
            const Vector p = to_vector(theta);
            app::JudgedMotion found = released([&] { return self.run(p, SignalCheck()); });
            return to_tuple(std::move(found.motion)) + nb::make_tuple(found.doubt);
          },
          "theta"_a, "Positions and velocities, each (T, N, 3), and why they should not be used; empty: no reason.")
      .def(
          "push_forward",
          [](const app::ValueRollout& self, const Numbers& theta, const Numbers& dtheta) {
            const Vector p = to_vector(theta), dp = to_vector(dtheta);
            return to_tuple(released([&] { return self.push_forward(p, dp, SignalCheck()); }));
          },
          "theta"_a, "dtheta"_a, "Changes of positions and velocities, each (T, N, 3).")
      .def(
          "record",
          [](const std::shared_ptr<app::ValueRollout>& self, const Numbers& theta) {
            const Vector p = to_vector(theta);
            return released([&] { return std::make_unique<Recorded>(self, p); });
          },
          "theta"_a)
      .def(
          "time_vjp",
          [](const app::ValueRollout& self, const Numbers& theta, const Gradient& g) {
            const Vector p = to_vector(theta);
            const Motion gradient{to_columns(g), {}};
            const auto begin = std::chrono::steady_clock::now();
            released([&] { return app::RecordedRollout(self, p).pull_back(gradient); });
            return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
          },
          "theta"_a, "gx"_a, "Seconds of a recorded run and its adjoint without Python; for benchmarks.")
      .def(
          "run_all",
          [](const app::ValueRollout& self, const Rows& thetas) {
            const Eigen::MatrixXd p = Eigen::Map<const Eigen::MatrixXd>(
                thetas.data(), static_cast<Eigen::Index>(thetas.shape(1)), static_cast<Eigen::Index>(thetas.shape(0)));
            const std::vector<app::JudgedMotion> motions = released([&] { return self.run_all(p); });
            const Eigen::Index rows = 3 * self.particles(), frames = self.times().size();
            return nb::make_tuple(stack(motions, &Motion::x, rows, frames), stack(motions, &Motion::v, rows, frames),
                                  collect(motions, &app::JudgedMotion::doubt));
          },
          "thetas"_a,
          "Positions and velocities, (B, T, N, 3), and doubts, at each row of thetas (B, P), on all threads.");
}

}  // namespace pithball::python
