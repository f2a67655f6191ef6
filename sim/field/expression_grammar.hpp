#pragma once
#include <string>
#include <vector>

#include "sim/field/expression_program.hpp"

namespace pithball::sim {

/// Compiles an expression in these variables, numbered in their order. The grammar:
///
///     sum     = product { (+|-) product }
///     product = signed { (*|/) signed }
///     signed  = { +|- } power
///     power   = operand [ ^ signed ]
///     operand = number | variable | pi | e | function ( sum ) | pow ( sum , sum ) | ( sum )
///
/// so that -x^2 is −(x²), 2^3^2 is 2⁹ and 2^-x*y is 2⁻ˣ y. Arithmetic is in double precision: 5/2 is 2.5. The functions
/// are those of `expression_functions()`.
///
/// Throws InvalidArgument with the position of the part that cannot be parsed, is not smooth or is nested too deeply.
ExpressionProgram compile_expression(const std::string& expression,
                                     const std::vector<std::string>& variables = {"x", "y", "z", "t"});

}  // namespace pithball::sim
