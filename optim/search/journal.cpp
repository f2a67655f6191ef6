#include "optim/search/journal.hpp"

#include "sim/core/bytes.hpp"

namespace pithball::optim {
namespace {

std::string to_bytes(const Vector& numbers) {
  BytesWriter out;
  out.reals(numbers.data(), numbers.size());
  return out.bytes();
}

std::string to_bytes(const JournalEntry& entry) {
  BytesWriter out;
  out.text(entry.outcome.failure);
  out.number(entry.values.size());
  out.reals(entry.values.data(), entry.values.size());
  out.number(entry.derivative.rows());
  out.number(entry.derivative.cols());
  out.reals(entry.derivative.data(), entry.derivative.size());
  return out.bytes();
}

JournalEntry entry_of(const std::string& bytes) {
  BytesReader in(bytes);
  JournalEntry entry;
  entry.outcome.failure = in.text();
  entry.values.resize(in.count(sizeof(double)));
  in.reals(entry.values.data(), entry.values.size());
  const auto [rows, columns] = in.shape(sizeof(double));
  entry.derivative.resize(rows, columns);
  in.reals(entry.derivative.data(), rows * columns);
  return entry;
}

/// Returns stage, kind (0: an evaluation), θ, and the factor of a product: together they identify a question.
Vector make_question(double stage, int kind, const Vector& theta, const Vector& factor = {}) {
  Vector question(2 + theta.size() + factor.size());
  question.head(2) << stage, kind;
  question.segment(2, theta.size()) = theta;
  question.tail(factor.size()) = factor;
  return question;
}

/// Products of a linearization: read from the journal if it contains them, otherwise computed and added to it.
class JournaledLinearization final : public Linearization {
 public:
  /// `recorded` is the linearization itself; if null, it is computed when first needed.
  JournaledLinearization(const Residual& residual, Journal& journal, double stage, Vector theta, Vector r,
                         std::unique_ptr<Linearization> recorded)
      : residual_(residual),
        journal_(journal),
        stage_(stage),
        theta_(std::move(theta)),
        r_(std::move(r)),
        recorded_(std::move(recorded)) {}

  const Vector& residual() const override { return r_; }
  Evaluation jvp(const Vector& d, Vector& Jd) const override {
    const Evaluation evaluation = record();
    return evaluation.ok() ? recorded_->jvp(d, Jd) : evaluation;
  }
  Evaluation vjp(const Vector& w, Vector& Jtw) const override {
    const Evaluation evaluation = record();
    return evaluation.ok() ? recorded_->vjp(w, Jtw) : evaluation;
  }
  Evaluation gradient(Vector& g) const override {
    return ask(Gradient, Vector(), g, [&] { return recorded_->gradient(g); });
  }
  Evaluation normal_product(const Vector& d, Vector& JtJd) const override {
    return ask(NormalProduct, d, JtJd, [&] { return recorded_->normal_product(d, JtJd); });
  }
  Evaluation normal_diagonal(Vector& diagonal) const override {
    return ask(NormalDiagonal, Vector(), diagonal, [&] { return recorded_->normal_diagonal(diagonal); });
  }

 private:
  enum Product { Gradient = 1, NormalProduct, NormalDiagonal };

  Evaluation record() const { return recorded_ ? Evaluation{} : residual_.linearize(theta_, recorded_); }

  template <class Work>
  Evaluation ask(Product product, const Vector& factor, Vector& answer, Work work) const {
    const Vector question = make_question(stage_, product, theta_, factor);
    if (std::optional<JournalEntry> known = journal_.find(question, false)) {
      answer = known->values;
      return known->outcome;
    }
    JournalEntry entry;
    entry.outcome = record();
    if (entry.outcome.ok()) entry.outcome = work();
    if (entry.outcome.ok()) entry.values = answer;
    journal_.add(question, entry);
    return entry.outcome;
  }

  const Residual& residual_;
  Journal& journal_;
  double stage_;
  Vector theta_, r_;
  mutable std::unique_ptr<Linearization> recorded_;
};

}  // namespace

Journal::Journal(const std::string& file, const Vector& start) : ledger_(file, to_bytes(start)) {}

std::optional<JournalEntry> Journal::find(const Vector& question, bool with_derivative) const {
  const std::optional<std::string> answer = ledger_.find(to_bytes(question));
  if (!answer) return {};
  JournalEntry entry = entry_of(*answer);
  const bool complete = !with_derivative || !entry.outcome.ok() || entry.derivative.size() > 0;
  return complete ? std::make_optional(std::move(entry)) : std::nullopt;
}

void Journal::add(const Vector& question, const JournalEntry& entry) {
  ledger_.add(to_bytes(question), to_bytes(entry));
}

Evaluation JournaledResidual::evaluate(const Vector& theta, Vector& r, Eigen::MatrixXd* jacobian) const {
  const Vector question = make_question(stage_, 0, theta);
  if (std::optional<JournalEntry> known = journal_.find(question, jacobian != nullptr)) {
    r = known->values;
    if (jacobian) *jacobian = known->derivative;
    return known->outcome;
  }
  JournalEntry entry;
  entry.outcome = residual_.evaluate(theta, r, jacobian);
  if (entry.outcome.ok()) {
    entry.values = r;
    if (jacobian) entry.derivative = *jacobian;
  }
  journal_.add(question, entry);
  return entry.outcome;
}

Evaluation JournaledResidual::linearize(const Vector& theta, std::unique_ptr<Linearization>& at) const {
  at.reset();
  const Vector question = make_question(stage_, 0, theta);
  std::unique_ptr<Linearization> recorded;
  JournalEntry entry;
  if (std::optional<JournalEntry> known = journal_.find(question, false)) {
    entry.outcome = known->outcome;
    entry.values = known->values;
  } else {
    entry.outcome = residual_.linearize(theta, recorded);
    if (entry.outcome.ok()) entry.values = recorded->residual();
    journal_.add(question, entry);
  }
  if (entry.outcome.ok())
    at = std::make_unique<JournaledLinearization>(residual_, journal_, stage_, theta, std::move(entry.values),
                                                  std::move(recorded));
  return entry.outcome;
}

}  // namespace pithball::optim
