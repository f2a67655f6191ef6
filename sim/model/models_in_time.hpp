#pragma once
#include <array>
#include <memory>
#include <mutex>

#include "sim/model/values.hpp"

namespace pithball::sim {

class Model;

/// A cache of the last models `Model::at(t)` of a model with key frames, shared by the forces of one stage and the
/// products of a linear solve. Thread-safe.
class ModelsInTime {
 public:
  ModelsInTime();
  ~ModelsInTime();
  /// `model.at(t)` at t [s], made once for values that `model` and its copies share.
  Model at(const Model& model, double t);

 private:
  struct Made;
  static constexpr std::size_t kept = 8;  // a few for each of several threads
  std::mutex mutex_;
  std::array<std::unique_ptr<const Made>, kept> made_;
  std::size_t next_ = 0;
};

}  // namespace pithball::sim
