#pragma once
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "sim/field/expression_parser.hpp"

namespace pithball::sim {

/// Expressions that threads may evaluate at once: parsers are not thread-safe, so each evaluation borrows a set from
/// here. Grows to the largest number of threads that ever evaluated at once.
class ExpressionPool {
 public:
  using Parsers = std::vector<std::unique_ptr<ExpressionParser>>;

  /// In these variables. Throws InvalidArgument if one of the expressions cannot be understood.
  explicit ExpressionPool(std::vector<std::string> expressions,
                          std::vector<std::string> variables = {"x", "y", "z", "t"});

  const std::vector<std::string>& expressions() const { return expressions_; }

  /// A set of parsers, one for each expression, until the loan ends.
  class Loan {
   public:
    explicit Loan(const ExpressionPool& pool) : pool_(pool), parsers_(pool.borrow()) {}
    ~Loan() { pool_.give_back(std::move(parsers_)); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    /// Expression k at these values of its variables.
    Complex operator()(std::size_t k, const std::array<Complex, 4>& arguments) const {
      return (*(*parsers_)[k])(arguments);
    }

   private:
    const ExpressionPool& pool_;
    std::unique_ptr<Parsers> parsers_;
  };

 private:
  std::unique_ptr<Parsers> borrow() const;
  void give_back(std::unique_ptr<Parsers> parsers) const;

  std::vector<std::string> expressions_, variables_;
  mutable std::vector<std::unique_ptr<Parsers>> free_;
};

}  // namespace pithball::sim
