#include "optim/journal.hpp"

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "sim/core/error.hpp"

namespace pithball::optim {
namespace {

constexpr char magic[8] = {'p', 'i', 't', 'h', 'j', 'r', 'n', '1'};

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

bool read_entry(Reader& in, Index parameters, std::vector<double>& theta, JournalEntry& entry) {
  std::int64_t values = 0, rows = 0, columns = 0;
  theta.resize(static_cast<std::size_t>(parameters));
  if (!in.doubles(theta.data(), parameters) || !in.text(entry.outcome.failure)) return false;
  if (!in.number(values) || values < 0 || values > most_numbers) return false;
  entry.values.resize(values);
  if (!in.doubles(entry.values.data(), values)) return false;
  if (!in.number(rows) || !in.number(columns) || rows < 0 || columns < 0 || rows > most_numbers ||
      columns > most_numbers)
    return false;
  entry.derivative.resize(rows, columns);
  return in.doubles(entry.derivative.data(), rows * columns);
}

void write_entry(Writer& out, const std::vector<double>& theta, const JournalEntry& entry) {
  out.doubles(theta.data(), static_cast<Index>(theta.size()));
  out.text(entry.outcome.failure);
  out.number(entry.values.size());
  out.doubles(entry.values.data(), entry.values.size());
  out.number(entry.derivative.rows());
  out.number(entry.derivative.cols());
  out.doubles(entry.derivative.data(), entry.derivative.size());
}

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
  std::vector<double> theta;
  for (JournalEntry entry; read_entry(in, parameters, theta, entry); entry = {}) {
    JournalEntry& place = known[theta];
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
  for (const auto& [theta, entry] : known_) write_entry(out, theta, entry);
  std::fflush(file_.get());
}

const JournalEntry* Journal::find(const Vector& theta, bool with_derivative) const {
  const auto place = known_.find(key(theta));
  if (place == known_.end()) return nullptr;
  const bool complete = !with_derivative || !place->second.outcome.ok() || place->second.derivative.size() > 0;
  return complete ? &place->second : nullptr;
}

void Journal::append(const Vector& theta, const JournalEntry& entry) {
  Writer out(file_.get());
  write_entry(out, key(theta), entry);
  std::fflush(file_.get());  // a killed search loses no finished evaluation
}

Evaluation JournaledResidual::evaluate(const Vector& theta, Vector& r, Eigen::MatrixXd* jacobian) const {
  if (const JournalEntry* known = journal_.find(theta, jacobian != nullptr)) {
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
  journal_.append(theta, entry);
  return entry.outcome;
}

Evaluation JournaledObjective::evaluate(const Vector& theta, double& loss, Vector* gradient) const {
  if (const JournalEntry* known = journal_.find(theta, gradient != nullptr)) {
    if (known->outcome.ok()) {
      loss = known->values[0];
      if (gradient) *gradient = known->derivative.row(0).transpose();
    }
    return known->outcome;
  }
  JournalEntry entry;
  entry.outcome = objective_.evaluate(theta, loss, gradient);
  if (entry.outcome.ok()) {
    entry.values = Vector::Constant(1, loss);
    if (gradient) entry.derivative = gradient->transpose();
  }
  journal_.append(theta, entry);
  return entry.outcome;
}

}  // namespace pithball::optim
