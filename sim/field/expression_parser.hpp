#pragma once
// Used by analytic_field.cpp only: needs muParserX's headers, so keep it out of public headers.

#include <muparserx/mpParser.h>

#include <array>
#include <complex>
#include <string>

#include "sim/core/types.hpp"

namespace pithball::sim {

using Complex = std::complex<double>;

/// One expression in x, y, z, t, evaluated with complex arguments. Not thread-safe.
class ExpressionParser {
 public:
  /// Throws InvalidArgument if the expression cannot be understood or is not smooth.
  explicit ExpressionParser(const std::string& expression);
  ExpressionParser(const ExpressionParser&) = delete;
  ExpressionParser& operator=(const ExpressionParser&) = delete;

  /// The expression at (x, y, z, t), analytically continued to arguments with a tiny imaginary part.
  Complex operator()(const std::array<Complex, 4>& arguments);

 private:
  std::array<mup::Value, 4> values_;  ///< what the parser's variables x, y, z, t point to
  mup::ParserX parser_;
};

}  // namespace pithball::sim
