#pragma once
#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "sim/core/types.hpp"
#include "sim/field/jet.hpp"

namespace pithball::sim {

/// One variable of an expression at a row of points: entry i is first[i · stride].
struct ExpressionVariable {
  const double* first;  ///< of entry 0
  Index stride;         ///< from one entry to the next, in numbers; 0: the same for all points
};

/// The variables x, y, z, t of points that are contiguous in memory, at one time; it refers to both.
inline std::array<ExpressionVariable, 4> space_and_time(const double* points, const double* t) {
  return {{{points, 3}, {points + 1, 3}, {points + 2, 3}, {t, 0}}};
}

/// An expression as a program of a stack machine. Evaluation has no side effects; threads may share a program.
class ExpressionProgram {
 public:
  /// Steps of the machine; Negate and Function replace the last operand, Add … Power the last two.
  enum class Operation { Constant, Variable, Negate, Add, Subtract, Multiply, Divide, Power, Function };

  /// Pushes a number.
  void append_constant(double value) { append({Operation::Constant, value, 0}, 0); }
  /// Pushes variable k, counted from 0, which `evaluate` must be given.
  void append_variable(std::size_t k) { append({Operation::Variable, 0, k}, 0); }
  /// Negates the last operand.
  void append_negation() { append({Operation::Negate, 0, 0}, 1); }
  /// Applies entry f of `expression_functions()` to the last operand.
  void append_function(std::size_t f) { append({Operation::Function, 0, f}, 1); }
  /// Applies Add … Power to the last two operands.
  void append_binary(Operation operation) { append({operation, 0, 0}, 2); }

  /// Whether a result can depend on variable k.
  bool reads_variable(std::size_t k) const {
    return std::ranges::any_of(instructions_, [k](const Instruction& instruction) {
      return instruction.operation == Operation::Variable && instruction.index == k;
    });
  }

  /// Calls receive(i, result) for each of `count` points, in order. A `Scalar` is a double, or a `Jet` for derivatives
  /// with respect to the first variables; a point's result does not depend on the other points.
  template <class Scalar, class Receive>
  void evaluate(std::span<const ExpressionVariable> variables, Index count, Receive receive) const {
    // Points go through each operation in blocks: large enough to amortize the dispatch, small enough for the cache.
    constexpr Index most_together = 32;
    const Index row = std::min(count, most_together);
    const auto stack = std::make_unique_for_overwrite<Scalar[]>(depth_ * row);
    for (Index first = 0; first < count; first += row) {
      const Index points = std::min(row, count - first);
      run(instructions_, variables, first, points, row, stack.get());
      for (Index i = 0; i < points; ++i) receive(first + i, static_cast<const Scalar&>(stack[i]));
    }
  }

 private:
  struct Instruction {
    Operation operation;
    double constant;
    std::size_t index;  // of the variable or function
  };

  /// Appends an operation with this number of operands; if all are constant, appends its result.
  void append(const Instruction&, Index operands);

  /// Leaves the results in the first level of the stack, whose levels are `row` apart.
  template <class Scalar>
  static void run(std::span<const Instruction> instructions, std::span<const ExpressionVariable> variables, Index first,
                  Index points, Index row, Scalar* stack) {
    Scalar* end = stack;  // one level past the last
    for (const Instruction& instruction : instructions) {
      const auto push = [&](auto entry) {
        for (Index i = 0; i < points; ++i) end[i] = entry(i);
        end += row;
      };
      const auto replace_one = [&](auto operation) {
        Scalar* const a = end - row;
        for (Index i = 0; i < points; ++i) a[i] = operation(a[i]);
      };
      const auto replace_two = [&](auto operation) {
        end -= row;
        Scalar* const a = end - row;
        for (Index i = 0; i < points; ++i) a[i] = operation(a[i], end[i]);
      };
      switch (instruction.operation) {
        case Operation::Constant:
          push([&](Index) { return Scalar(instruction.constant); });
          break;
        case Operation::Variable: {
          const ExpressionVariable& variable = variables[instruction.index];
          push([&](Index i) {
            return make_variable<Scalar>(variable.first[(first + i) * variable.stride], instruction.index);
          });
          break;
        }
        case Operation::Negate:
          replace_one([](const Scalar& u) { return -u; });
          break;
        case Operation::Add:
          replace_two([](const Scalar& u, const Scalar& v) { return u + v; });
          break;
        case Operation::Subtract:
          replace_two([](const Scalar& u, const Scalar& v) { return u - v; });
          break;
        case Operation::Multiply:
          replace_two([](const Scalar& u, const Scalar& v) { return u * v; });
          break;
        case Operation::Divide:
          replace_two([](const Scalar& u, const Scalar& v) { return u / v; });
          break;
        case Operation::Power:
          replace_two([](const Scalar& u, const Scalar& v) { return power(u, v); });
          break;
        case Operation::Function: {
          const ExpressionFunction& f = expression_functions()[instruction.index];
          replace_one([&](const Scalar& u) { return apply(f, u); });
          break;
        }
      }
    }
  }

  template <class Scalar>
  static Scalar make_variable(double value, std::size_t k) {
    if constexpr (std::is_same_v<Scalar, double>)
      return value;
    else
      return Scalar::variable(value, k);
  }

  std::vector<Instruction> instructions_;
  Index height_ = 0, depth_ = 0;  // stack height at the end, and its maximum
};

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
