#include "optim/residual/prior_residual.hpp"

#include <algorithm>
#include <cmath>

#include "optim/parameter/parameter_blocks.hpp"
#include "sim/core/error.hpp"

namespace pithball::optim {
namespace {

/// The requirement that a prior by itself violates, as (required, got); empty: none.
struct PriorComplaint {
  std::string required;
  double got = 0;
};

PriorComplaint positive(const char* what, double value) {
  if (value > 0 && std::isfinite(value)) return {};
  return {std::string(what) + " must be > 0", value};
}
PriorComplaint complaint(const GaussianPrior& p) { return positive("deviation", p.deviation); }
PriorComplaint complaint(const LognormalPrior& p) {
  const PriorComplaint of_median = positive("median", p.median);
  return of_median.required.empty() ? positive("deviation", p.deviation) : of_median;
}
PriorComplaint complaint(const LaplacePrior& p) { return positive("scale", p.scale); }
PriorComplaint complaint(const SmoothPrior& p) {
  return positive(p.open ? "values without a width of their prior, or their starts," : "deviation", p.deviation);
}

bool needs_logarithm(const Prior& prior) {
  const auto* smooth = std::get_if<SmoothPrior>(&prior);
  return std::holds_alternative<LognormalPrior>(prior) || (smooth && smooth->relative);
}

}  // namespace

/// Linearization whose rows have one or two entries.
class PriorResidual::Sparse final : public Linearization {
 public:
  Sparse(Vector r, std::vector<Slopes> slopes, Index parameters)
      : r_(std::move(r)), slopes_(std::move(slopes)), parameters_(parameters) {}
  const Vector& residual() const override { return r_; }
  Evaluation jvp(const Vector& d, Vector& Jd) const override {
    Jd.resize(r_.size());
    for (Index k = 0; k < r_.size(); ++k) {
      const Slopes& s = slopes_[k];
      Jd[k] = s.along_a * d[s.a] + (s.b < 0 ? 0 : s.along_b * d[s.b]);
    }
    return {};
  }
  Evaluation vjp(const Vector& w, Vector& Jtw) const override {
    Jtw = Vector::Zero(parameters_);
    for (Index k = 0; k < r_.size(); ++k) {
      const Slopes& s = slopes_[k];
      Jtw[s.a] += s.along_a * w[k];
      if (s.b >= 0) Jtw[s.b] += s.along_b * w[k];
    }
    return {};
  }
  Evaluation normal_diagonal(Vector& diagonal) const override {
    diagonal = Vector::Zero(parameters_);
    for (const Slopes& s : slopes_) {
      diagonal[s.a] += s.along_a * s.along_a;
      if (s.b >= 0) diagonal[s.b] += s.along_b * s.along_b;
    }
    return {};
  }

 private:
  Vector r_;
  std::vector<Slopes> slopes_;
  Index parameters_;
};

PriorResidual::PriorResidual(const ParameterMap& map, const std::vector<Parameter>& declarations) : map_(map) {
  for (std::size_t d = 0; d < declarations.size(); ++d)
    for (const Prior& prior : declarations[d].priors) add(d, declarations[d], begun(d, prior));
}

Prior PriorResidual::begun(Index declaration, const Prior& prior) const {
  const auto* smooth = std::get_if<SmoothPrior>(&prior);
  if (!smooth || !smooth->open) return prior;
  bool keeps_sign = true;
  double square = 0, count = 0;
  for (const ParameterInfo& info : map_.info()) {
    if (info.declaration != declaration) continue;
    keeps_sign = keeps_sign && info.lower >= 0 && info.initial > 0;
    square += info.initial * info.initial;
    ++count;
  }
  if (keeps_sign) return SmoothPrior{1, true, true};
  return SmoothPrior{std::sqrt(square / count), false, true};
}

void PriorResidual::add(Index declaration, const Parameter& parameter, const Prior& prior) {
  const std::string kind = std::visit([](const auto& p) { return std::string(p.name); }, prior);
  const auto reject_prior = [&](const std::string& name, const std::string& required, const std::string& got,
                                const std::string& remedy) {
    throw InvalidArgument({"", "prior " + kind + " of " + name, required, got, remedy});
  };
  const std::string& declared = parameter.printed_name();
  if (const PriorComplaint wrong = std::visit([](const auto& p) { return complaint(p); }, prior);
      !wrong.required.empty())
    reject_prior(declared, wrong.required, std::to_string(wrong.got), "");
  for (Index k = 0; k < map_.size(); ++k) {
    const ParameterInfo& info = map_.info()[k];
    if (info.declaration != declaration) continue;
    if (needs_logarithm(prior) && !(info.lower >= 0 && info.initial > 0))
      reject_prior(info.name, "requires a positive value with a start > 0", std::to_string(info.initial),
                   "bound it below by 0, or use a prior of the value itself");
    if (!std::holds_alternative<SmoothPrior>(prior)) rows_.push_back({prior, k, -1});
  }
  if (!std::holds_alternative<SmoothPrior>(prior)) return;
  const auto pairs = find_neighbors(map_, declaration, parameter.value);
  if (pairs.empty())
    reject_prior(declared, "requires neighboring particles or springs with separate parameters", "none",
                 "write `share: none` or `share: group`");
  if (std::get<SmoothPrior>(prior).open)
    open_.push_back({declaration, std::get<SmoothPrior>(prior), rows(), static_cast<Index>(pairs.size())});
  for (const auto& [a, b] : pairs) rows_.push_back({prior, a, b});
}

Evaluation PriorResidual::evaluate_rows(const Vector& theta, Vector& r, std::vector<Slopes>* slopes) const {
  const Vector p = map_.physical(theta), dp = map_.physical_derivative(theta);
  r.resize(rows());
  if (slopes) slopes->resize(rows_.size());
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const auto [prior, a, b] = rows_[k];
    Slopes s{a, b};
    double& value = r[k];
    if (const auto* smooth = std::get_if<SmoothPrior>(&prior)) {
      value = smooth->residual(p[a], p[b]);
      s.along_a = smooth->slope(p[a]) * dp[a];
      s.along_b = -smooth->slope(p[b]) * dp[b];
    } else {
      std::visit(
          [&, a = a](const auto& kind) {
            if constexpr (!std::is_same_v<std::decay_t<decltype(kind)>, SmoothPrior>) {
              value = kind.residual(p[a]);
              s.along_a = kind.slope(p[a]) * dp[a];
            }
          },
          prior);
    }
    if (!(std::isfinite(value) && std::isfinite(s.along_a) && std::isfinite(s.along_b)))
      return {"the prior of " + map_.info()[a].name + " is not finite"};
    if (slopes) (*slopes)[k] = s;
  }
  return {};
}

void PriorResidual::write(const std::vector<Slopes>& slopes, Eigen::MatrixXd& jacobian) const {
  jacobian.setZero(rows(), parameters());
  for (Index k = 0; k < rows(); ++k) {
    const Slopes& s = slopes[k];
    jacobian(k, s.a) = s.along_a;
    if (s.b >= 0) jacobian(k, s.b) = s.along_b;
  }
}

Evaluation PriorResidual::evaluate(const Vector& theta, Vector& r, Eigen::MatrixXd* jacobian) const {
  std::vector<Slopes> slopes;
  const Evaluation evaluation = evaluate_rows(theta, r, jacobian ? &slopes : nullptr);
  if (!jacobian) return evaluation;
  if (evaluation.ok())
    write(slopes, *jacobian);
  else
    jacobian->setZero(rows(), parameters());
  return evaluation;
}

Evaluation PriorResidual::evaluate_width_rows(const Vector& theta, Vector& r, std::vector<Slopes>& slopes) const {
  const Evaluation evaluation = evaluate_rows(theta, r, &slopes);
  if (!evaluation.ok()) return evaluation;
  const Vector dp = map_.physical_derivative(theta);
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const auto* sparse = std::get_if<LaplacePrior>(&rows_[k].prior);
    if (!sparse) continue;
    const double widest = std::abs(dp[rows_[k].a]) / std::sqrt(sparse->variance());
    slopes[k].along_a = std::clamp(slopes[k].along_a, -widest, widest);
  }
  return evaluation;
}

Evaluation PriorResidual::evaluate_widths(const Vector& theta, Vector& r, Eigen::MatrixXd& jacobian) const {
  std::vector<Slopes> slopes;
  const Evaluation evaluation = evaluate_width_rows(theta, r, slopes);
  if (evaluation.ok()) write(slopes, jacobian);
  return evaluation;
}

Evaluation PriorResidual::linearize_widths(const Vector& theta, std::unique_ptr<Linearization>& at) const {
  at.reset();
  Vector r;
  std::vector<Slopes> slopes;
  const Evaluation evaluation = evaluate_width_rows(theta, r, slopes);
  if (evaluation.ok()) at = std::make_unique<Sparse>(std::move(r), std::move(slopes), parameters());
  return evaluation;
}

Evaluation PriorResidual::linearize(const Vector& theta, std::unique_ptr<Linearization>& at) const {
  at.reset();
  Vector r;
  std::vector<Slopes> slopes;
  const Evaluation evaluation = evaluate_rows(theta, r, &slopes);
  if (evaluation.ok()) at = std::make_unique<Sparse>(std::move(r), std::move(slopes), parameters());
  return evaluation;
}

PullResidual::PullResidual(const ParameterMap& map) : start_(map.initial()), weight_(Vector::Ones(map.size())) {
  for (Index k = 0; k < map.size(); ++k) {
    const ParameterInfo& info = map.info()[k];
    if (info.transform.kind() == Transform::Kind::Identity) weight_[k] = start_[k] == 0 ? 0 : 1 / std::abs(start_[k]);
    if (info.is_nuisance) weight_[k] = 0;
  }
}

Evaluation PullResidual::evaluate(const Vector& theta, Vector& r, Eigen::MatrixXd* jacobian) const {
  r = weight_.cwiseProduct(theta - start_);
  if (jacobian) *jacobian = weight_.asDiagonal();
  return {};
}

}  // namespace pithball::optim
