#pragma once
#include <array>
#include <complex>
#include <memory>
#include <string>

namespace pithball::sim {

using Complex = std::complex<double>;

/// One expression in x, y, z, t for `AnalyticField`, evaluated with complex arguments. Not thread-safe.
class ExpressionParser {
 public:
  /// Throws InvalidArgument if the expression cannot be understood or is not smooth.
  explicit ExpressionParser(const std::string& expression);
  ~ExpressionParser();

  /// The expression at (x, y, z, t), analytically continued to arguments with a tiny imaginary part.
  Complex operator()(const std::array<Complex, 4>& arguments);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pithball::sim
