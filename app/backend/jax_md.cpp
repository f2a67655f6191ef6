#include "app/backend/jax_md.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "app/backend/plain_forces.hpp"
#include "app/base/interruption.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

using nlohmann::json;

/// The Python environment that `make baselines` installs.
const PythonEnvironment& baselines() {
  static const PythonEnvironment environment{"baselines", "PITHBALL_BASELINES_PYTHON", "the package jax_md"};
  return environment;
}

json request(const char* task, const BackendJob& job) {
  return {
      {"task", task}, {"body", body_json(*job.model, job.start)}, {"time_step", job.time_step}, {"steps", job.wanted}};
}

/// Decodes `count` numbers from base64 of little-endian float64.
std::vector<double> decoded(const json& value, std::size_t count) {
  static_assert(std::endian::native == std::endian::little);
  const auto& text = value.get_ref<const std::string&>();
  std::vector<unsigned char> bytes(3 * (text.size() / 4) + 3);
  const int size = EVP_DecodeBlock(bytes.data(), reinterpret_cast<const unsigned char*>(text.data()), text.size());
  // EVP_DecodeBlock counts padding as bytes.
  if (size < 0 || static_cast<std::size_t>(size) / 3 != (sizeof(double) * count + 2) / 3)
    throw std::runtime_error("JAX MD sent an array of another size");
  std::vector<double> found(count);
  if (count > 0) std::memcpy(found.data(), bytes.data(), sizeof(double) * count);
  return found;
}

double decoded_number(const json& value) { return decoded(value, 1).front(); }

Points decoded_points(const json& value, Index particles) {
  const auto found = decoded(value, 3 * static_cast<std::size_t>(particles));
  return Eigen::Map<const Points>(found.data(), 3, particles);
}

/// Returns a request whose target is the positions at the end of the run.
json charge_request(const char* task, const BackendJob& job, const Points& target, double charge) {
  json asked = request(task, job);
  asked["target"] = rows_json(target);
  asked["charge"] = charge;
  return asked;
}

std::unique_ptr<Backend> start_jax_md() { return std::make_unique<JaxMd>(); }

}  // namespace

JaxMd::JaxMd() : python_(baselines(), "backend jax_md", "jax_md/serve.py") {
  json hello;
  try {
    hello = python_.read();
  } catch (const std::runtime_error& error) {
    require_no_interruption();
    throw InvalidArgument(
        {"backend jax_md", "", "needs a Python with the package jax_md", error.what(), "run `make baselines` again"});
  }
  version_ =
      fmt::format("JAX MD {} (JAX {}, CPU)", hello.at("jax_md").get<std::string>(), hello.at("jax").get<std::string>());
}

BackendOutcome JaxMd::do_run(const BackendJob& job, const Receiver& receive) {
  BackendOutcome outcome;
  try {
    python_.write(request("simulate", job));
    for (;;) {
      const json said = python_.read();
      if (said.contains("seconds")) {
        outcome.seconds = said.at("seconds");
        outcome.compile_seconds = said.at("compile_seconds");
        return outcome;
      }
      receive(decoded_points(said.at("x"), job.model->particles()),
              decoded_points(said.at("v"), job.model->particles()));
    }
  } catch (const std::runtime_error&) {
    if (!Interruption::flag()) throw;
    outcome.interrupted = true;
    return outcome;
  }
}

JaxMd::ChargeLoss JaxMd::charge_loss(const BackendJob& job, const Points& target, double charge) {
  python_.write(charge_request("charge_loss", job, target, charge));
  const json said = python_.read();
  return {decoded_number(said.at("loss")), decoded_number(said.at("gradient")), said.at("seconds"),
          said.at("compile_seconds")};
}

JaxMd::ChargeEstimate JaxMd::estimate_charge(const BackendJob& job, const Points& target, double initial, double lower,
                                             double upper, Index iterations) {
  json asked = charge_request("estimate_charge", job, target, initial);
  asked["bounds"] = {lower, upper};
  asked["iterations"] = iterations;
  python_.write(asked);
  const json said = python_.read();
  return {decoded_number(said.at("charge")),
          decoded_number(said.at("loss")),
          said.at("converged"),
          said.at("evaluations"),
          said.at("seconds"),
          said.at("compile_seconds")};
}

BackendInfo jax_md_backend() {
  return {"jax_md", "JAX MD", "JAX MD on JAX, in the Python of `make baselines`, on the processor", true, start_jax_md};
}

}  // namespace pithball::app
