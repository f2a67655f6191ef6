#include <Eigen/Eigenvalues>

#include "tests/support/force_specimens.hpp"

using namespace pithball;
using namespace pithball::tests::force_suite;

namespace {

Eigen::MatrixXd dense(const BlockMatrix& A) {
  Eigen::MatrixXd D(3 * N, 3 * N);
  for (Index k = 0; k < 3 * N; ++k) {
    Points e = Points::Zero(3, N), Ae(3, N);
    e.data()[k] = 1;
    A.multiply(e, Ae);
    D.col(k) = flat(Ae);
  }
  return D;
}
double smallest_eigenvalue(const Eigen::MatrixXd& A) {
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>((A + A.transpose()) / 2, Eigen::EigenvaluesOnly)
      .eigenvalues()[0];
}

}  // namespace

TEST_CASE("forces: sparse blocks of implicit ones are their linearization, majorized for every state", "[sim][force]") {
  struct Weights final : Majorizer {
    Eigen::MatrixXd L = Eigen::MatrixXd::Zero(N, N);
    void edge(Index i, Index j, double w) override {
      vertex(i, w);
      vertex(j, w);
      L(i, j) -= w;
      L(j, i) -= w;
    }
    void vertex(Index i, double w) override { L(i, i) += w; }
    Eigen::MatrixXd on_points() const {  // L ⊗ I₃
      Eigen::MatrixXd D = Eigen::MatrixXd::Zero(3 * N, 3 * N);
      for (Index i = 0; i < N; ++i)
        for (Index j = 0; j < N; ++j)
          for (int a = 0; a < 3; ++a) D(3 * i + a, 3 * j + a) = L(i, j);
      return D;
    }
  };
  int implicit = 0;
  bool negative_met = false;
  for (const auto& [name, model] : specimens())
    for (const auto& term : model.terms()) {
      if (!is_implicit(*term)) continue;
      ++implicit;
      for (unsigned seed = 1; seed <= 20; ++seed) {
        INFO(name << " seed " << seed);
        Dice dice(seed);
        State s = dice.state();
        if (seed > 10) s.x *= 0.4;  // everything compressed
        const auto* damping = term->as<LinearDissipation>();
        const auto* stiff = term->as<StiffPotential>();
        const Eigen::MatrixXd J = dense_jacobian(*term, model, s, damping != nullptr);
        REQUIRE(J.norm() > 0);
        BlockMatrix blocks(model.topology());
        damping ? damping->add_velocity_blocks(model, s, -2.0, blocks)
                : stiff->add_position_blocks(model, s, -2.0, false, blocks);
        CHECK((dense(blocks) + 2 * J).norm() < 1e-13 * J.norm());
        CHECK((J - J.transpose()).norm() < 1e-13 * J.norm());

        Weights majorizer;
        damping ? damping->add_damping_majorizer(model, 1, majorizer)
                : stiff->add_stiffness_majorizer(model, 1, majorizer);
        // Of these the majorizer is that of the rest state.
        const bool unbounded = name.ends_with("_bending") || term->traits().name == "cubic_springs";
        if (!unbounded) CHECK(smallest_eigenvalue(majorizer.on_points() + J) > -1e-12 * J.norm());

        if (damping) continue;
        const double lowest = smallest_eigenvalue(-J);
        negative_met = negative_met || lowest < -1;
        Vector bound = Vector::Zero(N);
        stiff->add_negative_curvature_bound(model, s, bound);
        Eigen::MatrixXd raised = -J;
        for (Index k = 0; k < 3 * N; ++k) raised(k, k) += bound[k / 3];
        CHECK(smallest_eigenvalue(raised) > -1e-12 * J.norm());
        BlockMatrix cut(model.topology());
        stiff->add_position_blocks(model, s, -1, true, cut);
        CHECK(smallest_eigenvalue(dense(cut)) > -1e-12 * J.norm());
        CHECK(smallest_eigenvalue(dense(cut) + J) > -1e-12 * J.norm());  // cutting only raises
      }
    }
  CHECK(implicit == 29);  // springs in both forms, with cubic ones, dampers, two kinds of bending twice, two chains and
                          // their joint, linear drag twice, seven obstacles, six with dampers
  CHECK(negative_met);
}
