#include "sim/field/analytic_field.hpp"

#include <mutex>
#include <vector>

#include "sim/field/expression_parser.hpp"

namespace pithball::sim {
namespace {

struct Parsers {
  explicit Parsers(const std::array<std::string, 3>& e)
      : component{ExpressionParser(e[0]), ExpressionParser(e[1]), ExpressionParser(e[2])} {}
  ExpressionParser component[3];
};

}  // namespace

/// Parsers that nobody uses at the moment; grows to the largest number of threads that ever evaluated at once.
class AnalyticField::Pool {
 public:
  explicit Pool(std::array<std::string, 3> e) : expressions(std::move(e)) { give_back(borrow()); }

  std::unique_ptr<Parsers> borrow() {
    // One lock for all fields: making a parser touches statics of muParserX.
    const std::lock_guard lock(mutex());
    if (free_.empty()) return std::make_unique<Parsers>(expressions);
    auto parsers = std::move(free_.back());
    free_.pop_back();
    return parsers;
  }
  void give_back(std::unique_ptr<Parsers> parsers) {
    const std::lock_guard lock(mutex());
    free_.push_back(std::move(parsers));
  }

  const std::array<std::string, 3> expressions;

 private:
  static std::mutex& mutex() {
    static std::mutex m;
    return m;
  }
  std::vector<std::unique_ptr<Parsers>> free_;
};

AnalyticField::AnalyticField(std::array<std::string, 3> expressions)
    : pool_(std::make_unique<Pool>(std::move(expressions))) {}
AnalyticField::~AnalyticField() = default;

const std::array<std::string, 3>& AnalyticField::expressions() const { return pool_->expressions; }

Vec3 AnalyticField::value(const Vec3& x, double t) const {
  auto parsers = pool_->borrow();
  Vec3 u;
  for (int a = 0; a < 3; ++a) u[a] = parsers->component[a]({x[0], x[1], x[2], t}).real();
  pool_->give_back(std::move(parsers));
  return u;
}

Mat3 AnalyticField::jacobian(const Vec3& x, double t) const {
  constexpr double h = 1e-30;
  auto parsers = pool_->borrow();
  Mat3 J;
  for (int b = 0; b < 3; ++b) {
    std::array<Complex, 4> arguments{x[0], x[1], x[2], t};
    arguments[static_cast<std::size_t>(b)] += Complex(0, h);
    for (int a = 0; a < 3; ++a) J(a, b) = parsers->component[a](arguments).imag() / h;
  }
  pool_->give_back(std::move(parsers));
  return J;
}

}  // namespace pithball::sim
