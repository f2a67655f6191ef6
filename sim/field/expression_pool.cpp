#include "sim/field/expression_pool.hpp"

namespace pithball::sim {
namespace {

/// One lock for all pools: making a parser touches statics of muParserX.
std::mutex& pool_mutex() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace

ExpressionPool::ExpressionPool(std::vector<std::string> expressions, std::vector<std::string> variables)
    : expressions_(std::move(expressions)), variables_(std::move(variables)) {
  give_back(borrow());
}

std::unique_ptr<ExpressionPool::Parsers> ExpressionPool::borrow() const {
  const std::lock_guard lock(pool_mutex());
  if (free_.empty()) {
    auto parsers = std::make_unique<Parsers>();
    for (const std::string& expression : expressions_)
      parsers->push_back(std::make_unique<ExpressionParser>(expression, variables_));
    return parsers;
  }
  auto parsers = std::move(free_.back());
  free_.pop_back();
  return parsers;
}

void ExpressionPool::give_back(std::unique_ptr<Parsers> parsers) const {
  const std::lock_guard lock(pool_mutex());
  free_.push_back(std::move(parsers));
}

}  // namespace pithball::sim
