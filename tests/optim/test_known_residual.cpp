#include "optim/residual/residual.hpp"

#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::optim;

namespace {

/// r = θ² and its derivative, with a count of both; beyond `edge` there is no derivative.
class CountedSquares final : public Residual {
 public:
  explicit CountedSquares(Index parameters) : parameters_(parameters) {}
  Index rows() const override { return parameters_; }
  Index parameters() const override { return parameters_; }
  Evaluation evaluate(const Vector& theta, Vector& r, Eigen::MatrixXd* jacobian) const override {
    ++(jacobian ? both : values);
    r = theta.cwiseAbs2();
    if (jacobian) *jacobian = (2 * theta).asDiagonal();
    return {jacobian && theta[0] > edge ? "no derivative" : ""};
  }

  static constexpr double edge = 10;
  mutable int values = 0, both = 0;

 private:
  Index parameters_;
};

struct Answer {
  Vector r;
  Eigen::MatrixXd J;
};

Answer both_at(const KnownResidual& residual, const Vector& theta) {
  Answer answer;
  REQUIRE(residual.evaluate(theta, answer.r, &answer.J).ok());
  CHECK(answer.r == theta.cwiseAbs2());
  CHECK(answer.J == Eigen::MatrixXd((2 * theta).asDiagonal()));
  return answer;
}

void value_at(const KnownResidual& residual, const Vector& theta) {
  Vector r;
  REQUIRE(residual.evaluate(theta, r, nullptr).ok());
  CHECK(r == theta.cwiseAbs2());
}

}  // namespace

TEST_CASE("known residual: a foreseen derivative is computed with the value, and only as long as it is asked for",
          "[optim][residual]") {
  const CountedSquares squares(2);
  KnownResidual residual(squares);
  const Vector a{{1, 2}}, b{{3, 4}}, c{{5, 6}};
  value_at(residual, a);
  both_at(residual, a);
  CHECK(squares.values == 1);  // nothing was foreseen
  CHECK(squares.both == 1);

  residual.compute_derivatives_ahead();
  value_at(residual, b);
  both_at(residual, b);  // accepted
  CHECK(squares.values == 1);
  CHECK(squares.both == 2);
  value_at(residual, c);  // not accepted
  value_at(residual, a);
  CHECK(squares.values == 2);
  CHECK(squares.both == 3);
  both_at(residual, a);
  CHECK(squares.both == 4);
  value_at(residual, b);  // the last one was accepted
  both_at(residual, b);
  CHECK(squares.values == 2);
  CHECK(squares.both == 5);
}

TEST_CASE("known residual: where a foreseen derivative fails there is a value", "[optim][residual]") {
  const CountedSquares squares(1);
  KnownResidual residual(squares);
  residual.compute_derivatives_ahead();
  value_at(residual, Vector{{2 * CountedSquares::edge}});
  CHECK(squares.values == 1);
  Vector r;
  Eigen::MatrixXd J;
  CHECK_FALSE(residual.evaluate(Vector{{2 * CountedSquares::edge}}, r, &J).ok());
}

TEST_CASE("known residual: derivatives by many values are not foreseen", "[optim][residual]") {
  const CountedSquares squares(20);
  KnownResidual residual(squares);
  residual.compute_derivatives_ahead();
  value_at(residual, Vector::Ones(20));
  CHECK(squares.both == 0);
}
