#pragma once
#include <memory>
#include <optional>
#include <string>

#include "optim/residual/residual.hpp"
#include "optim/search/ledger.hpp"

namespace pithball::optim {

/// One evaluation of a residual (values: r, derivative: J) or an objective (values: L, derivative: gradient as a row),
/// or one product of a linearization (values).
struct JournalEntry {
  Evaluation outcome;
  Vector values;
  Eigen::MatrixXd derivative;  ///< 0×0 if it was not asked for
};

/// Every evaluation of a search, kept on disk as it is made, so that a killed search can be repeated without computing
/// anything twice: minimizers are deterministic, so the same questions come again and known answers are read from here.
/// Answers count for exactly the same question, bit by bit: θ, its stage, and for a product what it is and its factor.
class Journal {
 public:
  /// Opens the file or makes it. `start` is the physical values of the start, by which another problem is told apart.
  /// Throws InvalidArgument if the file belongs to another problem or cannot be written.
  Journal(const std::string& file, const Vector& start);

  std::optional<JournalEntry> find(const Vector& question, bool with_derivative) const;
  void add(const Vector& question, const JournalEntry& entry);

 private:
  Ledger ledger_;
};

/// A residual whose evaluations go through a journal. Both must outlive it. Residuals of one journal are told apart by
/// their stage.
class JournaledResidual final : public Residual {
 public:
  JournaledResidual(const Residual& residual, Journal& journal, std::size_t stage = 0)
      : residual_(residual), journal_(journal), stage_(stage) {}
  Index rows() const override { return residual_.rows(); }
  Index parameters() const override { return residual_.parameters(); }
  Evaluation evaluate(const Vector& theta, Vector& r, Eigen::MatrixXd* jacobian) const override;
  /// What `gauss_newton` asks of a linearization goes through the journal; the run is recorded at the first question
  /// that the journal cannot answer.
  Evaluation linearize(const Vector& theta, std::unique_ptr<Linearization>& at) const override;

 private:
  const Residual& residual_;
  Journal& journal_;
  double stage_;
};

}  // namespace pithball::optim
