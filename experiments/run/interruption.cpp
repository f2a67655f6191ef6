#include "experiments/run/interruption.hpp"

#include <csignal>

namespace pithball::experiments {
namespace {

volatile std::sig_atomic_t asked = 0;

extern "C" void ask_to_stop(int signal) {
  asked = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

Interruption::Interruption() {
  asked = 0;
  old_int_ = std::signal(SIGINT, ask_to_stop);
  old_term_ = std::signal(SIGTERM, ask_to_stop);
}

Interruption::~Interruption() {
  std::signal(SIGINT, old_int_);
  std::signal(SIGTERM, old_term_);
}

bool Interruption::requested() const { return asked != 0; }

}  // namespace pithball::experiments
