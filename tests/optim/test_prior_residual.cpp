#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "optim/fit.hpp"
#include "optim/parameter/parameter_blocks.hpp"
#include "optim/residual/prior_residual.hpp"
#include "optim/residual/residual.hpp"
#include "tests/optim/charged_system.hpp"
#include "tests/optim/complaint.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::optim;
using pithball::test::make_body;
using pithball::test::shared;

namespace {

/// One prior of each kind, for a value of size 10.
template <std::size_t... Kind>
std::vector<Prior> each_kind(std::index_sequence<Kind...>) {
  return {Prior(std::in_place_index<Kind>)...};
}
std::vector<Prior> every_prior() {
  std::vector<Prior> priors = each_kind(std::make_index_sequence<std::variant_size_v<Prior>>());
  for (Prior& prior : priors) {
    if (auto* p = std::get_if<GaussianPrior>(&prior)) *p = {11, 2};
    if (auto* p = std::get_if<LognormalPrior>(&prior)) *p = {11, 0.2};
    if (auto* p = std::get_if<LaplacePrior>(&prior)) *p = {11, 0.5};
    if (auto* p = std::get_if<SmoothPrior>(&prior)) *p = {2, false};
  }
  priors.emplace_back(SmoothPrior{0.05, true});
  return priors;
}

std::string kind_of(const Prior& prior) {
  return std::visit([](const auto& p) { return std::string(p.name); }, prior);
}

/// Every spring of the body has its own stiffness.
Parameter own_stiffness(std::vector<Prior> priors) {
  Parameter p = shared("stiffness");
  p.entries.sharing = EntrySharing::None;
  p.priors = std::move(priors);
  return p;
}

}  // namespace

TEST_CASE("prior_residual: the Jacobian of each kind is the difference quotient, its products those of the Jacobian",
          "[optim][prior][fd]") {
  for (const Prior& prior : every_prior())
    for (const auto transform : {Transform::Kind::Log, Transform::Kind::Scaled}) {
      INFO(kind_of(prior) << ", " << to_string(transform));
      Parameter parameter = own_stiffness({prior});
      parameter.range.transform = transform;
      const std::vector<Parameter> declared = {shared("charge"), parameter};
      const ParameterMap map({make_body("a")}, declared);
      const PriorResidual residual(map, declared);
      REQUIRE(residual.rows() > 0);
      Vector theta = map.initial(), r, ahead, behind, Jd, Jtw;
      for (Index k = 0; k < theta.size(); ++k) theta[k] += 0.05 * std::sin(2.0 + k);
      Eigen::MatrixXd J;
      REQUIRE(residual.evaluate(theta, r, &J).ok());
      REQUIRE(r.norm() > 0.1);
      CHECK(J.col(0).norm() == 0);  // the charge has none
      const double h = 1e-6;
      for (Index k = 1; k < theta.size(); ++k) {
        REQUIRE(residual.evaluate(theta + h * Vector::Unit(theta.size(), k), ahead, nullptr).ok());
        REQUIRE(residual.evaluate(theta - h * Vector::Unit(theta.size(), k), behind, nullptr).ok());
        REQUIRE(J.col(k).norm() > 0.1);
        // Central differences: h² of the third derivative, and rounding of 1e-16 r/h.
        CHECK(((ahead - behind) / (2 * h) - J.col(k)).norm() < 1e-8 * J.col(k).norm());
      }
      std::unique_ptr<Linearization> at;
      REQUIRE(residual.linearize(theta, at).ok());
      const Vector d = Vector::LinSpaced(theta.size(), -1, 2), w = Vector::LinSpaced(r.size(), 2, -1);
      REQUIRE(at->jvp(d, Jd).ok());
      REQUIRE(at->vjp(w, Jtw).ok());
      CHECK(at->residual() == r);
      CHECK((Jd - J * d).norm() < 1e-13 * (J * d).norm());
      CHECK((Jtw - J.transpose() * w).norm() < 1e-13 * (J.transpose() * w).norm());
      Eigen::MatrixXd D(theta.size(), 2), JD;
      D << d, d.cwiseAbs2();
      REQUIRE(at->jvp_block(D, JD).ok());
      CHECK((JD - J * D).norm() < 1e-13 * (J * D).norm());
      Vector diagonal;
      REQUIRE(at->normal_diagonal(diagonal).ok());
      CHECK((diagonal - J.colwise().squaredNorm().transpose()).norm() < 1e-13 * diagonal.norm());
    }
}

TEST_CASE("prior: costs are minus the logarithms of the densities that their docstrings name", "[optim][prior]") {
  const double p = 13;
  CHECK(GaussianPrior{11, 2}.residual(p) == Approx(1));
  CHECK(LognormalPrior{11, 0.2}.residual(p) == Approx(std::log(13.0 / 11) / 0.2));
  CHECK(SmoothPrior{2, false}.residual(13, 10) == Approx(1.5));
  CHECK(SmoothPrior{0.1, true}.residual(13, 10) == Approx(std::log(1.3) / 0.1));
  const LaplacePrior sparse{11, 0.5};
  for (double z : {-40.0, -1.0, 1e-9, 0.3, 40.0}) {
    const double r = sparse.residual(11 + 0.5 * z);
    // √(z² + ε²) − ε cancels for small z: good to rounding of ε.
    CHECK(r * r / 2 == Approx(std::sqrt(z * z + 0.01) - 0.1).epsilon(1e-12).margin(1e-16));
    CHECK((r < 0) == (z < 0));
  }
  CHECK(sparse.slope(11) == Approx(1 / (0.5 * std::sqrt(0.1))));
}

TEST_CASE("prior: a sparse prior is as wide as its distribution, not as its smoothing", "[optim][prior]") {
  // Variance of the Laplace distribution of scale b: ∫ x² e^{−|x|/b} dx / 2b = 2 b².
  double square = 0, mass = 0;
  for (double z = -60; z < 60; z += 1e-3) {
    square += z * z * std::exp(-std::abs(z));
    mass += std::exp(-std::abs(z));
  }
  CHECK(LaplacePrior{11, 0.5}.variance() == Approx(0.25 * square / mass).epsilon(1e-5));

  Parameter parameter = own_stiffness({LaplacePrior{11, 0.5}, GaussianPrior{11, 2}});
  parameter.range.transform = Transform::Kind::Identity;
  const std::vector<Parameter> declared = {parameter};
  const ParameterMap map({make_body("a")}, declared);
  const PriorResidual prior(map, declared);
  Vector r;
  Eigen::MatrixXd J, plain;
  const Vector at_kink = Vector::Constant(6, 11);
  REQUIRE(prior.evaluate_widths(at_kink, r, J).ok());
  CHECK(1 / std::abs(J(0, 0)) == Approx(0.5 * std::sqrt(2.0)).epsilon(1e-12));
  CHECK(1 / std::abs(J(6, 0)) == Approx(2).epsilon(1e-12));
  // So are those that are there for products.
  std::unique_ptr<Linearization> at;
  REQUIRE(prior.linearize_widths(at_kink, at).ok());
  const Vector d = Vector::LinSpaced(6, 1, 2);
  Vector Jd, Jtw, of_costs;
  REQUIRE(at->jvp(d, Jd).ok());
  REQUIRE(at->vjp(Vector::LinSpaced(12, 2, -1), Jtw).ok());
  CHECK(at->residual() == r);
  CHECK((Jd - J * d).norm() < 1e-13 * Jd.norm());
  CHECK((Jtw - J.transpose() * Vector::LinSpaced(12, 2, -1)).norm() < 1e-13 * Jtw.norm());
  REQUIRE(prior.linearize(at_kink, at).ok());
  REQUIRE(at->jvp(d, of_costs).ok());
  CHECK(of_costs.norm() > 1.5 * Jd.norm());  // at its kink the cost is four times as sharp: √(2/ε)
  REQUIRE_FALSE(prior.linearize_widths(Vector::Constant(6, NAN), at).ok());
  CHECK(at == nullptr);
  // Far out the cost is a straight line, which knows less: there the derivatives are those of the residuals.
  const Vector far = Vector::Constant(6, 20);
  REQUIRE(prior.evaluate(far, r, &plain).ok());
  REQUIRE(prior.evaluate_widths(far, r, J).ok());
  CHECK((J - plain).norm() == 0);
}

TEST_CASE("neighbors: ends of springs, springs that meet, each pair once", "[optim][prior]") {
  // Four particles, all six springs: 01 02 03 12 13 23. Only opposite edges do not meet: 01|23, 02|13, 03|12.
  const std::vector<Parameter> springs = {own_stiffness({})};
  CHECK(find_neighbors(ParameterMap({make_body("a")}, springs), 0, "stiffness").size() == 15 - 3);
  Parameter charge = shared("charge"), velocity = shared("velocity");
  charge.entries.sharing = velocity.entries.sharing = EntrySharing::None;
  const ParameterMap map({make_body("a")}, {charge, velocity});
  const auto pairs = find_neighbors(map, 0, "charge");
  CHECK(pairs == std::vector<std::pair<Index, Index>>{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}});
  CHECK(find_neighbors(map, 1, "velocity").size() == 3 * 6);  // by component
}

TEST_CASE("stacked_residual: the posterior of a linear model with Gaussian priors is the closed form",
          "[optim][prior]") {
  /// y = A p + noise of standard deviation 1, in the physical values p of the map.
  struct Linear final : Residual {
    const ParameterMap& map;
    Eigen::MatrixXd A;
    Vector y;
    Linear(const ParameterMap& m, Eigen::MatrixXd a, Vector data) : map(m), A(std::move(a)), y(std::move(data)) {}
    Index rows() const override { return y.size(); }
    Index parameters() const override { return A.cols(); }
    Evaluation evaluate(const Vector& theta, Vector& r, Eigen::MatrixXd* J) const override {
      r = A * map.physical(theta) - y;
      if (J) *J = A * map.physical_derivative(theta).asDiagonal();
      return {};
    }
  };
  Parameter parameter = own_stiffness({GaussianPrior{11, 2}, SmoothPrior{3, false}});
  parameter.range.transform = Transform::Kind::Identity;
  const std::vector<Parameter> declared = {parameter};
  const ParameterMap map({make_body("a")}, declared);
  const PriorResidual prior(map, declared);
  REQUIRE(prior.rows() == 6 + 12);
  // Four data for six parameters: without the prior there is no answer.
  Eigen::MatrixXd A(4, 6);
  for (Index k = 0; k < A.size(); ++k) A(k / 6, k % 6) = std::sin(1.0 + 1.7 * k);
  const Vector y = Vector::LinSpaced(4, -5, 9);
  const Linear data(map, A, y);
  const StackedResidual posterior(data, prior);
  REQUIRE(posterior.rows() == 22);

  // Precision Λ = AᵀA + I/2² + L/3², L the graph's Laplacian of springs that meet; mean Λ⁻¹(Aᵀy + 11/2²).
  Eigen::MatrixXd L = Eigen::MatrixXd::Zero(6, 6);
  for (const auto& [a, b] : find_neighbors(map, 0, "stiffness")) {
    L(a, a) += 1;
    L(b, b) += 1;
    L(a, b) -= 1;
    L(b, a) -= 1;
  }
  const Eigen::MatrixXd precision = A.transpose() * A + Eigen::MatrixXd::Identity(6, 6) / 4 + L / 9;
  const Vector mean = precision.ldlt().solve(A.transpose() * y + Vector::Constant(6, 11.0 / 4));
  const Eigen::MatrixXd covariance = precision.inverse();

  Vector r, gradient;
  Eigen::MatrixXd J;
  REQUIRE(posterior.evaluate(mean, r, &J).ok());
  double loss = 0;
  REQUIRE(LeastSquares(posterior).evaluate(mean, loss, &gradient).ok());
  CHECK(loss == Approx(r.squaredNorm() / 2));
  CHECK(gradient.norm() < 1e-12 * (J.cwiseAbs().transpose() * r.cwiseAbs()).norm());
  CHECK((J.transpose() * J - precision).norm() < 1e-12 * precision.norm());
  UncertaintyOptions options;
  options.absolute_sigma = true;
  const Uncertainty u = compute_uncertainty(r, J, map.names(), options);
  CHECK((u.covariance - covariance).norm() < 1e-10 * covariance.norm());
  CHECK(u.spectrum.rank == 6);
}

TEST_CASE("fit: a prior decides what the data leave open, and the report says that it did", "[optim][fit][prior]") {
  const diff::Scenario truth = make_body("a");
  FitProblem problem;
  problem.scenarios = {truth};
  problem.observations = {test::record(test::refined(truth), 20, 1e-3, 1)};
  const auto spread = [&](const std::vector<Prior>& priors, const std::string& solver) {
    Parameter stiffness = own_stiffness(priors);
    stiffness.initial = 8;
    problem.parameters = {stiffness};
    problem.search.solver = solver;
    const FitReport report = fit(problem);
    CHECK(report.search.status == MinimizerStatus::Converged);
    CHECK(!priors.empty() == std::any_of(report.notes.begin(), report.notes.end(), [](const std::string& note) {
      return note.find("posterior") != std::string::npos;
    }));
    Vector p(6);
    for (Index k = 0; k < 6; ++k) p[k] = report.estimates.parameters[k].estimate;
    return std::pair{p, report};
  };
  const auto [free, alone] = spread({}, "levenberg_marquardt");
  CHECK((free - Vector::LinSpaced(6, 0.8, 1.2) * 12).norm() < 1);
  for (const std::string& solver : minimizers().names()) {
    INFO(solver);
    const auto [tied, smooth] = spread({SmoothPrior{1e-5, true}}, solver);
    CHECK(tied.maxCoeff() / tied.minCoeff() < 1.001);  // 1e-5 between neighbors against data that say 20 % and ±1 %
    CHECK(free.maxCoeff() / free.minCoeff() > 1.3);
    CHECK(smooth.estimates.parameters[0].errors.formal < 0.7 * alone.estimates.parameters[0].errors.formal *
                                                             smooth.estimates.residual_scale /
                                                             alone.estimates.residual_scale);
    const auto [near, lognormal] = spread({LognormalPrior{20, 1e-4}}, solver);
    CHECK(near.mean() == Approx(20).epsilon(0.01));
  }
}

TEST_CASE("prior_residual: what cannot be meant is rejected", "[optim][prior][error]") {
  const auto rejected = [](const Parameter& parameter, const std::string& words) {
    const std::vector<Parameter> declared = {parameter};
    const ParameterMap map({make_body("a")}, declared);
    CHECK_THROWS_WITH(PriorResidual(map, declared), Catch::Contains(words));
  };
  rejected(own_stiffness({GaussianPrior{10, 0}}), "prior gaussian of stiffness: deviation must be > 0");
  rejected(own_stiffness({LognormalPrior{-1, 1}}), "median must be > 0");
  rejected(own_stiffness({LaplacePrior{1, -1}}), "scale must be > 0");
  Parameter one = shared("stiffness"), charge = shared("charge");
  one.priors = {SmoothPrior{1, false}};
  rejected(one, "requires neighboring particles or springs");
  charge.priors = {LognormalPrior{6e-6, 0.1}};
  rejected(charge, "requires a positive value");
  charge.range.lower = 0;
  charge.range.transform = Transform::Kind::Scaled;
  const std::vector<Parameter> declared = {charge};
  const ParameterMap map({make_body("a")}, declared);
  const PriorResidual prior(map, declared);
  Vector r;
  CHECK(prior.evaluate(Vector::Zero(1), r, nullptr).failure == "the prior of charge is not finite");
}
