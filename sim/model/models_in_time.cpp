#include "sim/model/models_in_time.hpp"

#include "sim/model/model.hpp"

namespace pithball::sim {

struct ModelsInTime::Made {
  std::shared_ptr<const Values> from;  // keeps the address taken, by which the values are known
  double t;
  Model model;  // without key frames, so that it does not own this object in turn
};

ModelsInTime::ModelsInTime() = default;
ModelsInTime::~ModelsInTime() = default;

Model ModelsInTime::at(const Model& model, double t) {
  const std::shared_ptr<const Values>& from = model.shared_values();
  {
    const std::lock_guard lock(mutex_);
    for (const auto& made : made_)
      if (made && made->from == from && made->t == t) return made->model;
  }
  auto made = std::make_unique<const Made>(Made{from, t, model.at(t)});
  Model result = made->model;
  const std::lock_guard lock(mutex_);
  made_[next_] = std::move(made);
  next_ = (next_ + 1) % kept;
  return result;
}

}  // namespace pithball::sim
