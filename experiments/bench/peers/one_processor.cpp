#include "experiments/bench/peers/one_processor.hpp"

#include <stdexcept>

#include "sim/core/parallel_for.hpp"

namespace pithball::experiments {

OneProcessor::OneProcessor() : threads_(sim::max_threads()) {
  cpu_set_t here;
  CPU_ZERO(&here);
  const int processor = sched_getcpu();
  if (processor >= 0) CPU_SET(processor, &here);
  if (sched_getaffinity(0, sizeof earlier_, &earlier_) != 0 || sched_setaffinity(0, sizeof here, &here) != 0)
    throw std::runtime_error("bench peers: the system does not let a program choose its processor");
  sim::set_max_threads(1);
}

OneProcessor::~OneProcessor() {
  sched_setaffinity(0, sizeof earlier_, &earlier_);
  sim::set_max_threads(threads_);
}

}  // namespace pithball::experiments
