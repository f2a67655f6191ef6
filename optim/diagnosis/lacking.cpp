#include "optim/diagnosis/lacking.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>
#include <vector>

#include "optim/uncertainty/significance.hpp"

namespace pithball::optim {
namespace {

void append(Eigen::MatrixXd& matrix, const Vector& column) {
  matrix.conservativeResize(column.size(), matrix.cols() + 1);
  matrix.rightCols(1) = column;
}

/// Factor of the damping after a run that was worse.
constexpr double damping_step = 4;

}  // namespace

TrialFit::TrialFit(const ScoreTester& tester, const Eigen::MatrixXd& G)
    : tester_(&tester), G_(G), further_(tester.unexplained(G)), more_(basis_of(further_)), rows_(tester.rows()) {
  const Index coordinates = fitted() + more_.cols();
  mends_.resize(tester.all_rows(), 0);
  directions_.resize(coordinates, 0);
  at_ = Vector::Zero(coordinates);
  plan();
}

Vector TrialFit::times_columns(const Vector& c) const {
  return tester_->basis() * c.head(fitted()) + more_ * c.tail(more_.cols());
}

Eigen::MatrixXd TrialFit::columns_times(const Eigen::MatrixXd& rows) const {
  Eigen::MatrixXd product(at_.size(), rows.cols());
  product << tester_->basis().transpose() * rows, more_.transpose() * rows;
  return product;
}

Vector TrialFit::times_derivative(const Vector& c) const {
  return times_columns(c) + mends_ * (directions_.transpose() * c);
}

void TrialFit::plan() {
  // Normal equations; Q is orthonormal, so without mends (corrections of the derivative) their matrix is the identity.
  const Eigen::MatrixXd across = columns_times(mends_) * directions_.transpose();
  Eigen::MatrixXd normal = Eigen::MatrixXd::Identity(at_.size(), at_.size()) + across + across.transpose();
  normal += directions_ * (mends_.transpose() * mends_) * directions_.transpose();
  const Vector slope = columns_times(rows_) + directions_ * (mends_.transpose() * rows_);
  step_ = -normal.ldlt().solve(slope);
  remaining_ = (rows_ + times_derivative(step_)).squaredNorm();
  if (damping_ == 0) return;
  normal.diagonal().array() += damping_;
  step_ = -normal.ldlt().solve(slope);
}

Vector TrialFit::beta() const { return further_.solve(more_ * (at_ + step_).tail(more_.cols())); }

Vector TrialFit::fitted_step() const {
  return tester_->explained_step(times_columns(at_ + step_) - tester_->weighted(G_ * beta()));
}

void TrialFit::take(const Vector& r) {
  const Vector rows = tester_->rows_after(r, fitted_step());
  has_failed_ = false;
  if (!(rows.squaredNorm() < rows_.squaredNorm())) return shorten();
  const Vector unpredicted = rows - rows_ - times_derivative(step_);
  append(mends_, unpredicted / step_.squaredNorm());
  append(directions_, step_);
  rows_ = rows;
  at_ += step_;
  damping_ /= damping_step;
  if (damping_ < 1 / damping_step) damping_ = 0;
  plan();
}

void TrialFit::shorten() {
  damping_ = std::max(1.0, damping_step * damping_);
  plan();
}

void TrialFit::take_failure() {
  if (has_failed_) remaining_ = std::numeric_limits<double>::infinity();
  has_failed_ = true;
  step_ /= 2;
}

bool TrialFit::is_settled() const {
  constexpr double little = 0.1;
  return rows_.squaredNorm() - remaining_ <= little * (tester_->rows().squaredNorm() - remaining_);
}

double TrialFit::gain() const { return tester_->decrease_to(damping_ > 0 ? rows_.squaredNorm() : remaining_); }

namespace {

/// Largest number of separate shortcomings to be found.
constexpr Index most_lacking = 5;

/// Numbers of candidates that are compared by runs with their steps. First, one run each of `tried_of_each` of the
/// model and one fewer of the measurement; in each later round, one run each of the best of both kinds together.
constexpr std::size_t tried_of_each = 5, later_rounds[] = {5, 2};

/// Most runs after these rounds, for each of this many candidates that promise most of the excess and have not settled.
constexpr int most_settling_runs = 10;
constexpr std::size_t settled_of_all = 3;

/// A candidate whose step is tried, with its gain and worth.
struct Tried {
  TestedCandidate* finding;
  const CandidateEffect* effect;
  std::optional<TrialFit> trial;  ///< none for an attachment: readings are linear in it, the predicted gain is exact
  double gain, worth;

  /// Whether its trial stopped short.
  bool is_open() const { return trial && !trial->is_settled(); }
};

/// Trials of the likeliest candidates.
class Trials {
 public:
  Trials(const EffectsByName& effects, const BoundedPoint& at, const ScoreTester& tester, Diagnosis& found)
      : effects_(effects), at_(at), tester_(tester), excess_(found.excess), counts_(found.evaluations) {}

  /// Returns the trials, best first. `open`: not empty, smallest p first. `is_needed`: makes runs even for a single
  /// candidate.
  std::vector<Tried> run(const std::vector<TestedCandidate*>& open, bool is_needed) const {
    std::vector<Tried> tried;
    for (TestedCandidate* finding : likeliest(open)) {
      const CandidateEffect& effect = effects_.at(finding->candidate.name);
      tried.push_back({finding, &effect, {}, finding->test.gain, worth(finding->test.gain, *finding)});
      if (effect.run) tried.back().trial.emplace(tester_, effect.G);
    }
    if (tried.size() == 1 && !is_needed) return tried;
    run_round(tried, tried.size());
    for (const std::size_t most : later_rounds) run_round(tried, most);
    settle(tried);
    return tried;
  }

 private:
  /// As in Akaike's criterion, each number costs 2.
  double worth(double gain, const TestedCandidate& finding) const {
    return gain - 2 * tester_.square_of_scale() * static_cast<double>(finding.test.shift.size());
  }

  /// Chooses the candidate with the smallest p, and those of either kind with the largest gains.
  std::vector<TestedCandidate*> likeliest(std::vector<TestedCandidate*> open) const {
    std::stable_sort(open.begin() + 1, open.end(), [&](const TestedCandidate* a, const TestedCandidate* b) {
      return worth(a->test.gain, *a) > worth(b->test.gain, *b);
    });
    std::vector<TestedCandidate*> chosen;
    std::size_t of_model = 0, of_measurement = 1;
    for (TestedCandidate* finding : open)
      if ((finding->candidate.comes_before_model() ? of_measurement : of_model)++ < tried_of_each)
        chosen.push_back(finding);
    return chosen;
  }

  /// Makes one more run for each of the first `most`.
  void run_round(std::vector<Tried>& tried, std::size_t most) const {
    most = std::min(most, tried.size());
    for (std::size_t k = 0; k < most; ++k) run_once(tried[k]);
    std::ranges::stable_sort(tried, std::ranges::greater{}, &Tried::worth);
  }

  /// Goes on with those that promised most of the excess by their first test and whose trials stopped short of it.
  void settle(std::vector<Tried>& tried) const {
    std::vector<Tried*> open;
    for (Tried& one : tried)
      if (one.is_open() && one.finding->test.gain > most_of_misfit * excess_) open.push_back(&one);
    std::ranges::stable_sort(open, std::ranges::greater{}, [](const Tried* one) { return one->finding->test.gain; });
    open.resize(std::min(open.size(), settled_of_all));
    for (Tried* one : open)
      for (int run = 0; run < most_settling_runs && one->is_open(); ++run) run_once(*one);
    for (Tried* one : open) one->finding->is_undecided = one->is_open();
    std::ranges::stable_sort(tried, std::ranges::greater{}, &Tried::worth);
  }

  void run_once(Tried& one) const {
    if (!one.trial) return;
    run_trial(*one.effect, *one.trial);
    one.gain = one.trial->gain();
    one.worth = worth(one.gain, *one.finding);
  }

  void run_trial(const CandidateEffect& effect, TrialFit& trial) const {
    const Vector theta = (at_.theta + trial.fitted_step()).cwiseMax(at_.lower).cwiseMin(at_.upper);
    Vector r;
    ++counts_.forward;
    if (run_changed(effect, theta, trial.beta(), r).ok())
      trial.take(r);
    else
      trial.take_failure();
  }

  const EffectsByName& effects_;
  const BoundedPoint& at_;
  const ScoreTester& tester_;
  double excess_;
  EvaluationCounts& counts_;
};

/// Whether the recordings cannot distinguish a tried candidate from the best one, already included in `tester`.
bool is_same(const Tried& best, const Tried& other, const ScoreTester& tester, double least) {
  if (tester.test(other.effect->G, other.finding->candidate.one_sided).p < least) return false;
  const ScoreTest& test = best.finding->test;
  const auto more = static_cast<double>(best.finding->test.shift.size() - other.finding->test.shift.size());
  const double advantage = std::max(0.0, best.gain - other.gain - 2 * test.unit * more);  // a number costs 2, as above
  return !(f_tail(advantage / test.unit, 1, test.degrees) < least);
}

/// Returns the best of the trials or, if others are not distinguishable from it, the one of them to rule out first;
/// sets its `same`.
const Tried& find_first(std::vector<Tried>& tried, const ScoreTester& tester, double least) {
  ScoreTester after = tester;
  after.take(tried.front().effect->G);
  std::vector<const Tried*> group{&tried.front()};
  for (std::size_t k = 1; k < tried.size(); ++k)
    if (is_same(tried.front(), tried[k], after, least)) group.push_back(&tried[k]);
  std::ranges::stable_sort(group, {}, [](const Tried* one) { return one->finding->candidate.concern; });
  for (const Tried* one : group)
    if (one != group.front()) group.front()->finding->same.push_back(one->finding->candidate.name);
  return *group.front();
}

/// Returns the findings that are significant by themselves, smallest p first, or that promise a part of the excess.
std::vector<TestedCandidate*> find_open(const EffectsByName& effects, Diagnosis& found) {
  std::vector<TestedCandidate*> open;
  for (TestedCandidate& finding : found.findings) {
    const bool promises = finding.test.gain > promising_part * found.excess;
    if (finding.is_exact && (finding.adjusted < found.level || (promises && effects.contains(finding.candidate.name))))
      open.push_back(&finding);
  }
  return open;
}

/// Whether a tried candidate is significant in its first test or in a test with the residuals after its trial, which
/// then replaces the first one.
bool is_significant(const Tried& one, const ScoreTester& tester, const Diagnosis& found) {
  if (one.finding->adjusted < found.level) return true;
  if (!one.trial) return false;
  const ScoreTest after = tester.test_trial(one.effect->G, one.trial->rows());
  const double p = std::max(after.p, one.effect->least_p);
  const double adjusted = std::min(1.0, p * static_cast<double>(found.findings.size()));
  if (!(adjusted < found.level)) return false;
  ScoreTest& test = one.finding->test;
  test.p = p;
  test.gain = after.gain;
  test.unit = after.unit;
  test.degrees = after.degrees;
  test.shift = one.trial->beta();
  one.finding->adjusted = adjusted;
  return true;
}

}  // namespace

void find_lacking(const EffectsByName& effects, const BoundedPoint& at, ScoreTester& tester, Diagnosis& found) {
  std::vector<TestedCandidate*> open = find_open(effects, found);
  if (open.empty()) return;
  const auto is_known = [&](const TestedCandidate* finding) { return finding->adjusted < found.level; };
  const bool are_known = std::ranges::all_of(open, is_known);
  const double least = found.level / static_cast<double>(found.findings.size());  // for any dependence of the tests
  std::vector<Tried> tried = Trials(effects, at, tester, found).run(open, !are_known);
  std::erase_if(open, [&](const TestedCandidate* finding) { return !is_known(finding); });
  std::erase_if(tried, [&](const Tried& one) { return !is_significant(one, tester, found); });
  if (tried.empty()) return;
  const Tried& first = find_first(tried, tester, least);
  TestedCandidate* best = first.finding;
  double gain = first.gain;
  for (Index order = 1; best; ++order) {
    best->order = order;
    best->explained = gain / found.excess;
    tester.take(effects.at(best->candidate.name).G);
    std::erase(open, best);
    best = nullptr;
    if (order == most_lacking) break;
    double p_best = least;
    for (TestedCandidate* finding : open) {
      const CandidateEffect& effect = effects.at(finding->candidate.name);
      const ScoreTest test = tester.test(effect.G, finding->candidate.one_sided);
      if (std::max(test.p, effect.least_p) < p_best)
        std::tie(best, p_best, gain) = std::tuple(finding, std::max(test.p, effect.least_p), test.gain);
    }
  }
}

}  // namespace pithball::optim
