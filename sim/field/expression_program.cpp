#include "sim/field/expression_program.hpp"

namespace pithball::sim {

void ExpressionProgram::append(const Instruction& instruction, Index operands) {
  instructions_.push_back(instruction);
  height_ += 1 - operands;
  depth_ = std::max(depth_, height_);
  if (operands == 0) return;
  // A constant operand is one instruction long, since it was replaced by its value as soon as it was complete.
  const auto tail =
      std::span(instructions_).last(std::min(instructions_.size(), static_cast<std::size_t>(operands) + 1));
  const bool constant = std::all_of(tail.begin(), tail.end() - 1,
                                    [](const Instruction& i) { return i.operation == Operation::Constant; });
  if (!constant) return;
  std::array<double, 2> stack;
  run<double>(tail, {}, 0, 1, 1, stack.data());
  instructions_.resize(instructions_.size() - tail.size());
  instructions_.push_back({Operation::Constant, stack[0], 0});
}

}  // namespace pithball::sim
