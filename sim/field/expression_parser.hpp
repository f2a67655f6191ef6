#pragma once
#include <array>
#include <complex>
#include <memory>
#include <string>
#include <vector>

namespace pithball::sim {

using Complex = std::complex<double>;

/// One expression in a few variables, for `AnalyticField` and `RadialExpression`, evaluated with complex arguments. Not
/// thread-safe.
class ExpressionParser {
 public:
  /// At most four variables. Throws InvalidArgument if the expression cannot be understood or is not smooth.
  explicit ExpressionParser(const std::string& expression,
                            const std::vector<std::string>& variables = {"x", "y", "z", "t"});
  ~ExpressionParser();

  /// The expression at these values of its variables, in their order, analytically continued to arguments with a tiny
  /// imaginary part.
  Complex operator()(const std::array<Complex, 4>& arguments);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pithball::sim
