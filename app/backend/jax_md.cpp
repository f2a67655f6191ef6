#include "app/backend/jax_md.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "app/backend/plain_forces.hpp"
#include "app/base/interruption.hpp"
#include "app/base/program_folder.hpp"
#include "sim/core/error.hpp"
#include "sim/force/spring_force.hpp"

namespace pithball::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// The Python that PITHBALL_BASELINES_PYTHON names, or else that of `make baselines`: ../baselines/bin/python, seen
/// from the program (build/baselines beside build/release).
fs::path find_python() {
  const std::string remedy = "run `make baselines`, or set PITHBALL_BASELINES_PYTHON to a Python with jax_md";
  const char* named = std::getenv("PITHBALL_BASELINES_PYTHON");
  const fs::path python = named ? fs::path(named) : program_folder().parent_path() / "baselines" / "bin" / "python";
  if (access(python.c_str(), X_OK) == 0) return python;
  throw InvalidArgument({named ? "PITHBALL_BASELINES_PYTHON" : "backend jax_md", "",
                         named ? "must name a program that can be run" : "needs a Python with the package jax_md",
                         "no " + python.string(), remedy});
}

/// serve.py, beside the program in share/pithball as the page of reports is.
fs::path find_server() {
  if (const fs::path file = find_shared_file("jax_md/serve.py"); !file.empty()) return file;
  throw InvalidArgument({"share/pithball/jax_md/serve.py", "", "must be next to the program: it is needed for JAX MD",
                         "nothing", "build or install the program again"});
}

/// Rows of three numbers.
json rows(const Points& points) {
  json list = json::array();
  for (Index i = 0; i < points.cols(); ++i) list.push_back({points(0, i), points(1, i), points(2, i)});
  return list;
}

template <class Vector>
json numbers(const Vector& values) {
  json list = json::array();
  for (const double value : values) list.push_back(value);
  return list;
}

sim::Vec3 sum(const std::vector<sim::Vec3>& vectors) {
  sim::Vec3 total = sim::Vec3::Zero();
  for (const sim::Vec3& each : vectors) total += each;
  return total;
}

json body_json(const BackendJob& job) {
  const sim::Model& model = *job.model;
  const PlainForces forces(model, job.start.t);
  json pinned = json::array(), springs = json::array(), resting = json::array(), stiffness = json::array(),
       rest_length = json::array();
  for (const sim::Held& held : model.topology().held) pinned.push_back(held.particle);
  if (forces.springs) {
    for (const sim::Spring& spring : model.springs()) springs.push_back({spring.i, spring.j});
    const sim::SpringForce& force = *sim::find_springs(model);
    stiffness = numbers(force.stiffness(model));
    rest_length = numbers(force.rest_length(model));
  }
  for (const RestingCharge& charge : forces.resting_charges)
    resting.push_back({charge.charge, charge.position[0], charge.position[1], charge.position[2]});
  return {{"x", rows(job.start.x)},
          {"v", rows(job.start.v)},
          {"mass", numbers(model.mass())},
          {"charge", numbers(model.charge())},
          {"pinned", pinned},
          {"springs", springs},
          {"stiffness", stiffness},
          {"rest_length", rest_length},
          {"coulomb_constant", sim::coulomb_constant},
          {"coulomb", forces.coulomb},
          {"softening", forces.softening},
          {"resting_charges", resting},
          {"gravity", numbers(sum(forces.gravity))},
          {"electric_field", numbers(sum(forces.electric_field))}};
}

json request(const char* task, const BackendJob& job) {
  return {{"task", task}, {"body", body_json(job)}, {"time_step", job.time_step}, {"steps", job.wanted}};
}

/// `count` numbers from base64 of little-endian float64.
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

/// A request whose target is positions at the end.
json charge_request(const char* task, const BackendJob& job, const Points& target, double charge) {
  json asked = request(task, job);
  asked["target"] = rows(target);
  asked["charge"] = charge;
  return asked;
}

std::unique_ptr<Backend> start_jax_md() { return std::make_unique<JaxMd>(); }

}  // namespace

JaxMd::JaxMd()
    : python_({find_python().string(), find_server().string()}, {STDIN_FILENO, STDOUT_FILENO}, backend_patience) {
  std::string line;
  try {
    line = read_line();
  } catch (const std::runtime_error& error) {
    require_no_interruption();
    throw InvalidArgument(
        {"backend jax_md", "", "needs a Python with the package jax_md", error.what(), "run `make baselines` again"});
  }
  const json hello = json::parse(line);
  version_ =
      fmt::format("JAX MD {} (JAX {}, CPU)", hello.at("jax_md").get<std::string>(), hello.at("jax").get<std::string>());
}

std::string JaxMd::read_line() {
  std::size_t end = 0, searched = 0;
  while ((end = received_.find('\n', searched)) == std::string::npos) {
    searched = received_.size();
    const std::string part = python_.read();
    if (part.empty()) python_.fail("ended too early");
    received_ += part;
  }
  std::string line = received_.substr(0, end);
  received_.erase(0, end + 1);
  return line;
}

BackendOutcome JaxMd::do_run(const BackendJob& job, const Receiver& receive) {
  BackendOutcome outcome;
  try {
    python_.write(request("simulate", job).dump() + "\n");
    for (;;) {
      const json said = json::parse(read_line());
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
  python_.write(charge_request("charge_loss", job, target, charge).dump() + "\n");
  const json said = json::parse(read_line());
  return {decoded_number(said.at("loss")), decoded_number(said.at("gradient")), said.at("seconds"),
          said.at("compile_seconds")};
}

JaxMd::ChargeEstimate JaxMd::estimate_charge(const BackendJob& job, const Points& target, double initial, double lower,
                                             double upper, Index iterations) {
  json asked = charge_request("estimate_charge", job, target, initial);
  asked["bounds"] = {lower, upper};
  asked["iterations"] = iterations;
  python_.write(asked.dump() + "\n");
  const json said = json::parse(read_line());
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
