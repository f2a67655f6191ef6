#include "app/base/interruption.hpp"

#include <csignal>
#include <stdexcept>

namespace pithball::app {
namespace {

std::atomic<bool> asked{false};  // lock-free, hence safe in a signal handler
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void ask_to_stop(int signal) {
  asked = true;
  std::signal(signal, SIG_DFL);
}

}  // namespace

Interruption::Interruption() {
  asked = false;
  old_int_ = std::signal(SIGINT, ask_to_stop);
  old_term_ = std::signal(SIGTERM, ask_to_stop);
}

Interruption::~Interruption() {
  std::signal(SIGINT, old_int_);
  std::signal(SIGTERM, old_term_);
}

const std::atomic<bool>& Interruption::flag() { return asked; }

void require_no_interruption() {
  if (asked) throw std::runtime_error("interrupted");
}

}  // namespace pithball::app
