#include "optim/journal.hpp"

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "sim/core/error.hpp"

namespace pithball::optim {
namespace {

constexpr char magic[8] = {'p', 'i', 't', 'h', 'j', 'r', 'n', '2'};

std::vector<double> key(const Vector& theta) { return {theta.begin(), theta.end()}; }

/// Numbers as they lie in memory: a journal is read on the machine that wrote it.
class Writer {
 public:
  explicit Writer(std::FILE* file) : file_(file) {}
  void number(std::int64_t n) { put(&n, sizeof n); }
  void doubles(const double* data, Index count) { put(data, static_cast<std::size_t>(count) * sizeof(double)); }
  void text(const std::string& s) {
    number(static_cast<std::int64_t>(s.size()));
    put(s.data(), s.size());
  }
  void put(const void* data, std::size_t bytes) {
    if (bytes > 0) std::fwrite(data, 1, bytes, file_);  // an empty array has no address
  }

 private:
  std::FILE* file_;
};

class Reader {
 public:
  explicit Reader(std::FILE* file) : file_(file) {}
  bool number(std::int64_t& n) { return get(&n, sizeof n); }
  bool doubles(double* data, Index count) { return get(data, static_cast<std::size_t>(count) * sizeof(double)); }
  bool text(std::string& s) {
    std::int64_t size = 0;
    if (!number(size) || size < 0 || size > 1 << 20) return false;
    s.resize(static_cast<std::size_t>(size));
    return get(s.data(), s.size());
  }
  bool get(void* data, std::size_t bytes) { return bytes == 0 || std::fread(data, 1, bytes, file_) == bytes; }

 private:
  std::FILE* file_;
};

constexpr std::int64_t most_numbers = std::int64_t{1} << 34;  // a size beyond this is a torn record

bool read_entry(Reader& in, std::vector<double>& question, JournalEntry& entry) {
  std::int64_t asked = 0, values = 0, rows = 0, columns = 0;
  if (!in.number(asked) || asked < 0 || asked > most_numbers) return false;
  question.resize(static_cast<std::size_t>(asked));
  if (!in.doubles(question.data(), asked) || !in.text(entry.outcome.failure)) return false;
  if (!in.number(values) || values < 0 || values > most_numbers) return false;
  entry.values.resize(values);
  if (!in.doubles(entry.values.data(), values)) return false;
  if (!in.number(rows) || !in.number(columns) || rows < 0 || columns < 0 || rows > most_numbers ||
      columns > most_numbers)
    return false;
  entry.derivative.resize(rows, columns);
  return in.doubles(entry.derivative.data(), rows * columns);
}

void write_entry(Writer& out, const std::vector<double>& question, const JournalEntry& entry) {
  out.number(static_cast<std::int64_t>(question.size()));
  out.doubles(question.data(), static_cast<Index>(question.size()));
  out.text(entry.outcome.failure);
  out.number(entry.values.size());
  out.doubles(entry.values.data(), entry.values.size());
  out.number(entry.derivative.rows());
  out.number(entry.derivative.cols());
  out.doubles(entry.derivative.data(), entry.derivative.size());
}

/// Stage, kind (0: an evaluation), θ, and the factor of a product: no two questions are alike.
Vector make_question(double stage, int kind, const Vector& theta, const Vector& factor = {}) {
  Vector question(2 + theta.size() + factor.size());
  question.head(2) << stage, kind;
  question.segment(2, theta.size()) = theta;
  question.tail(factor.size()) = factor;
  return question;
}

/// The products of a linearisation that the journal knows, and others as they are made.
class JournaledLinearisation final : public Linearisation {
 public:
  /// recorded: the linearisation itself; null: it is made at the first question that the journal cannot answer.
  JournaledLinearisation(const Residual& residual, Journal& journal, double stage, Vector theta, Vector r,
                         std::unique_ptr<Linearisation> recorded)
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

  Evaluation record() const { return recorded_ ? Evaluation{} : residual_.linearise(theta_, recorded_); }

  template <class Work>
  Evaluation ask(Product product, const Vector& factor, Vector& answer, Work work) const {
    const Vector question = make_question(stage_, product, theta_, factor);
    if (const JournalEntry* known = journal_.find(question, false)) {
      answer = known->values;
      return known->outcome;
    }
    JournalEntry entry;
    entry.outcome = record();
    if (entry.outcome.ok()) entry.outcome = work();
    if (entry.outcome.ok()) entry.values = answer;
    journal_.append(question, entry);
    return entry.outcome;
  }

  const Residual& residual_;
  Journal& journal_;
  double stage_;
  Vector theta_, r_;
  mutable std::unique_ptr<Linearisation> recorded_;
};

}  // namespace

std::map<std::vector<double>, JournalEntry> Journal::load(const std::string& name, const Vector& start) {
  const std::unique_ptr<std::FILE, Close> file(std::fopen(name.c_str(), "rb"));
  if (!file)
    throw InvalidArgument(
        {name, "", "must be the journal of an interrupted fit", "no such file", "run without --resume"});
  Reader in(file.get());
  char head[sizeof magic];
  std::int64_t parameters = 0;
  std::vector<double> first;
  bool same = in.get(head, sizeof head) && std::memcmp(head, magic, sizeof magic) == 0 && in.number(parameters) &&
              parameters == start.size();
  if (same) {
    first.resize(static_cast<std::size_t>(parameters));
    same = in.doubles(first.data(), parameters) && first == key(start);
  }
  if (!same)
    throw InvalidArgument({name, "", "must be the journal of this fit", "one of another start or other parameters",
                           "run without --resume"});
  std::map<std::vector<double>, JournalEntry> known;
  std::vector<double> question;
  for (JournalEntry entry; read_entry(in, question, entry); entry = {}) {
    JournalEntry& place = known[question];
    if (place.derivative.size() == 0) place = std::move(entry);  // one with its derivative answers both questions
  }
  return known;
}

Journal::Journal(const std::string& name, const Vector& start, std::map<std::vector<double>, JournalEntry> known)
    : file_(std::fopen(name.c_str(), "wb")), known_(std::move(known)) {
  if (!file_)
    throw InvalidArgument(
        {name, "", "must be a file that can be written", std::strerror(errno), "choose another --out"});
  Writer out(file_.get());
  out.put(magic, sizeof magic);
  out.number(start.size());
  out.doubles(start.data(), start.size());
  for (const auto& [question, entry] : known_) write_entry(out, question, entry);
  std::fflush(file_.get());
}

const JournalEntry* Journal::find(const Vector& question, bool with_derivative) const {
  const auto place = known_.find(key(question));
  if (place == known_.end()) return nullptr;
  const bool complete = !with_derivative || !place->second.outcome.ok() || place->second.derivative.size() > 0;
  return complete ? &place->second : nullptr;
}

void Journal::append(const Vector& question, const JournalEntry& entry) {
  Writer out(file_.get());
  write_entry(out, key(question), entry);
  std::fflush(file_.get());  // a killed search loses no finished evaluation
}

Evaluation JournaledResidual::evaluate(const Vector& theta, Vector& r, Eigen::MatrixXd* jacobian) const {
  const Vector question = make_question(stage_, 0, theta);
  if (const JournalEntry* known = journal_.find(question, jacobian != nullptr)) {
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
  journal_.append(question, entry);
  return entry.outcome;
}

Evaluation JournaledResidual::linearise(const Vector& theta, std::unique_ptr<Linearisation>& at) const {
  at.reset();
  const Vector question = make_question(stage_, 0, theta);
  std::unique_ptr<Linearisation> recorded;
  JournalEntry entry;
  if (const JournalEntry* known = journal_.find(question, false)) {
    entry.outcome = known->outcome;
    entry.values = known->values;
  } else {
    entry.outcome = residual_.linearise(theta, recorded);
    if (entry.outcome.ok()) entry.values = recorded->residual();
    journal_.append(question, entry);
  }
  if (entry.outcome.ok())
    at = std::make_unique<JournaledLinearisation>(residual_, journal_, stage_, theta, std::move(entry.values),
                                                  std::move(recorded));
  return entry.outcome;
}

}  // namespace pithball::optim
