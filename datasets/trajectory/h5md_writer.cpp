#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "datasets/trajectory/h5md.hpp"
#include "datasets/trajectory/h5md_reader.hpp"
#include "datasets/trajectory/h5md_writer_file.hpp"
#include "sim/core/error.hpp"

namespace pithball::datasets {
namespace {

/// Throws InvalidArgument if the body's values do not fit its particles and springs.
void check_body(const std::string& file, const H5mdBody& body) {
  const Index n = body.mass.size();
  if (n < 1 || body.charge.size() != n)
    throw InvalidArgument({file, "trajectory", "must have as many charges as masses, at least one",
                           std::to_string(n) + " masses and " + std::to_string(body.charge.size()) + " charges",
                           "give one of each per particle"});
  for (const auto& spring : body.springs)
    if (spring.i < 0 || spring.i >= n || spring.j < 0 || spring.j >= n)
      throw InvalidArgument({file, "springs", "must connect particles 0.." + std::to_string(n - 1),
                             std::to_string(spring.i) + "-" + std::to_string(spring.j), "correct the indices"});
  const Index springs_count = body.springs.size();
  for (const sim::Vector* values : {&body.stiffness, &body.rest_length})
    if (values->size() != 0 && values->size() != springs_count)
      throw InvalidArgument({file, "springs", "must have one stiffness and one rest length each, or none",
                             std::to_string(values->size()) + " for " + std::to_string(springs_count) + " springs",
                             "give one value per spring"});
}

/// Returns the reason why HDF5 cannot create a file, according to the system.
std::string why_not_writable(const std::string& file) {
  const int opened = open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (opened < 0) return std::strerror(errno);
  close(opened);
  return "a file that HDF5 cannot write";
}

/// Whether all numbers are bitwise equal.
bool are_same(const sim::Vector& a, const sim::Vector& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

/// Throws std::runtime_error unless the file contains the constant values of the body: if one write fails and the next
/// succeeds, HDF5 may close a file that lacks them, and later read zeros in their place.
void require_written(const std::string& file, const H5mdBody& body) {
  const H5mdReader written(file);
  const H5mdBody& found = written.body();
  const auto require = [&](bool same, const char* what) {
    if (!same)
      throw std::runtime_error(std::string("cannot write ") + what + " to " + file +
                               ": it reads back as other numbers");
  };
  if (!body.attributes) require(are_same(found.mass, body.mass), "mass");
  if (!body.attributes && !body.is_changing("charge")) require(are_same(found.charge, body.charge), "charge");
  require(std::ranges::equal(found.springs, body.springs,
                             [](const auto& a, const auto& b) { return a.i == b.i && a.j == b.j; }),
          "springs");
  if (!body.is_changing("stiffness")) require(are_same(found.stiffness, body.stiffness), "stiffness");
  if (!body.is_changing("rest_length")) require(are_same(found.rest_length, body.rest_length), "rest_length");
}

/// Writes the author, the program that created the file, and the units.
void write_origin(hid_t file, const H5mdBody& body) {
  const Hdf5Handle h5md = make_group(file, "h5md");
  write_integers(h5md, "version", {1, 1});
  write_text(make_group(h5md, "author"), "name", body.author);
  const Hdf5Handle creator = make_group(h5md, "creator");
  write_text(creator, "name", body.program);
  write_text(creator, "version", body.program_version);
  const Hdf5Handle modules = make_group(h5md, "modules");
  const Hdf5Handle units = make_group(modules, "units");
  write_integers(units, "version", {1, 0});
  write_text(units, "system", "SI");
}

/// Writes the springs and those of their values that are constant.
void write_springs(hid_t file, hid_t connectivity, const H5mdBody& body) {
  std::vector<std::int64_t> pairs;
  for (const auto& spring : body.springs) {
    pairs.push_back(spring.i);
    pairs.push_back(spring.j);
  }
  const Hdf5Handle springs =
      write_array(connectivity, "springs", H5T_NATIVE_INT64, {body.springs.size(), 2}, pairs.data());
  hobj_ref_t group;
  hdf5_check(H5Rcreate(&group, file, "/particles/all", H5R_OBJECT, -1), "refer to the particles");
  const Hdf5Handle scalar(H5Screate(H5S_SCALAR), H5Sclose, "describe an attribute");
  write_attribute(springs, "particles_group", H5T_STD_REF_OBJ, scalar, &group);
  const auto write_values = [&](const char* name, const char* unit, const sim::Vector& values) {
    if (values.size() == 0 || body.is_changing(name)) return;
    write_text(write_array(connectivity, name, H5T_NATIVE_DOUBLE, {body.springs.size()}, values.data()), "unit", unit);
  };
  write_values("stiffness", "N m-1", body.stiffness);
  write_values("rest_length", "m", body.rest_length);
}

}  // namespace

H5mdWriter::H5mdWriter(std::unique_ptr<File> file) : file_(std::move(file)) {}
H5mdWriter::H5mdWriter(H5mdWriter&&) noexcept = default;
H5mdWriter& H5mdWriter::operator=(H5mdWriter&&) noexcept = default;

H5mdWriter::~H5mdWriter() {
  if (!file_) return;
  const Hdf5Quiet quiet;
  try {
    file_->flush();
  } catch (const std::exception&) {
    // A destructor cannot report; the data of earlier flushes stay readable.
  }
}

H5mdWriter::H5mdWriter(const std::string& file, const H5mdBody& body, Index segment) : file_(std::make_unique<File>()) {
  check_body(file, body);
  if (segment < 1) throw InvalidArgument({file, "segment", "must be >= 1", std::to_string(segment), "100 is usual"});
  const Hdf5Quiet quiet;
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "plan a file");
  hdf5_check(H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110), "plan a file");  // for `start_appending`
  leave_out_locks(access);
  const hid_t made = H5Fcreate(file.c_str(), H5F_ACC_TRUNC, timeless(H5P_FILE_CREATE), access);
  if (made < 0)
    throw InvalidArgument({file, "trajectory", "must be writable", why_not_writable(file),
                           "check the folder, its permissions and its file system"});
  File& f = *file_;
  f.file = Hdf5Handle(made, H5Fclose, "make " + file);
  f.mark.emplace(file);
  f.path = file;
  f.body = body;
  f.width = static_cast<hsize_t>(body.mass.size());
  f.list_elements();
  f.settle_segment(segment);

  write_origin(f.file, body);
  const Hdf5Handle particles = make_group(f.file, "particles");
  const Hdf5Handle all = make_group(particles, "all");
  const Hdf5Handle box = make_group(all, "box");
  write_integer(box, "dimension", 3);
  write_nones(box, "boundary", 3);

  const Hdf5Handle connectivity = body.springs.empty() ? Hdf5Handle() : make_group(f.file, "connectivity");
  f.make_growing_elements();
  if (body.attributes) {
    std::string names;
    for (const std::string& name : *body.attributes) names += name + "\n";
    write_text(all, "attributes", names);
  } else {
    write_text(write_array(all, "mass", H5T_NATIVE_DOUBLE, {f.width}, body.mass.data()), "unit", "kg");
    if (!body.is_changing("charge"))
      write_text(write_array(all, "charge", H5T_NATIVE_DOUBLE, {f.width}, body.charge.data()), "unit", "C");
  }
  if (!body.springs.empty()) write_springs(f.file, connectivity, body);
  write_integer(make_group(f.file, "parameters"), "complete", 0);
  f.open_growing();
  f.flush();
  f.start_appending();
}

H5mdWriter H5mdWriter::resume(const std::string& file, Index keep, Index segment) {
  const Hdf5Quiet quiet;
  auto f = std::make_unique<File>();
  f->path = file;
  {  // HDF5 does not open a file for writing that is open for reading
    const H5mdReader left(file);
    const std::size_t kept = keep < 0 ? left.size() : std::min(left.size(), static_cast<std::size_t>(keep));
    f->body = left.body();
    f->width = static_cast<hsize_t>(std::max<Index>(left.body().mass.size(), left.most_particles()));
    f->written = static_cast<hsize_t>(kept);
    f->last_step = kept == 0 ? -1 : left.steps()[kept - 1];
  }
  f->list_elements();
  f->settle_segment(std::max<Index>(segment, 1));
  try {
    f->reopen();
    f->cover_lost_pieces();
    f->start_appending();
  } catch (const std::runtime_error& error) {
    throw InvalidArgument({file, "trajectory", "must have been created by this program and be writable", error.what(),
                           "restart the run"});
  }
  return H5mdWriter(std::move(f));
}

void H5mdWriter::append(Index step, const sim::State& state, const sim::Roster* roster, const H5mdBody* now) {
  if (!file_) throw std::logic_error("H5mdWriter: append after finish");
  File& f = *file_;
  if (f.body.attributes.has_value() != (roster != nullptr))
    throw InvalidArgument({f.path, "state", "must come with a roster where particles come and go, and only there",
                           roster ? "a roster" : "none", ""});
  const Index n = roster ? roster->size() : f.body.mass.size();
  if (state.x.cols() != n || state.v.cols() != n)
    throw InvalidArgument(
        {f.path, "state", "must have " + std::to_string(n) + " particles",
         std::to_string(state.x.cols()) + " positions and " + std::to_string(state.v.cols()) + " velocities",
         "append states of the run that the file was made for"});
  if (step <= f.last_step)
    throw InvalidArgument({f.path, "step", "must be larger than " + std::to_string(f.last_step), std::to_string(step),
                           "append states in order"});
  if (!f.body.changing.empty() && !now)
    throw InvalidArgument({f.path, "state", "must come with the values of its time where they change", "none", ""});
  f.last_step = step;
  f.buffered.steps.push_back(step);
  f.buffered.times.push_back(state.t);
  f.buffered.counts.push_back(static_cast<hsize_t>(n));
  auto element = f.elements.begin();
  const auto add = [&](const double* values, Index count) {
    element->values.insert(element->values.end(), values, values + count);
    ++element;
  };
  // Column-major 3×N has the memory layout of the convention's row-major [N][3].
  add(state.x.data(), state.x.size());
  add(state.v.data(), state.v.size());
  for (const std::string& name : f.body.changing) {
    const sim::Vector& values = now->*find_changing_value(name).values;
    add(values.data(), values.size());
  }
  if (roster) {  // in the order of `list_elements`
    const auto add_each = [&](const auto& value_of) {
      const sim::Vector values = sim::Vector::NullaryExpr(n, value_of);
      add(values.data(), n);
    };
    const auto at = [](const auto& list, Index p) { return static_cast<double>(list[p]); };
    add_each([&](Index p) { return at(roster->id, p); });
    add_each([&](Index p) { return at(roster->like, p); });
    for (const sim::Vector* values : {&f.body.mass, &f.body.charge})
      add_each([&](Index p) { return (*values)[roster->like[p]]; });
    add_each([&](Index p) { return at(roster->birth_time, p); });
    add_each([&](Index p) { return at(roster->death_time, p); });
    add_each([&](Index p) { return state.t - at(roster->birth_time, p); });
    for (Index a = 0; a < roster->attributes.rows(); ++a) add_each([&](Index p) { return roster->attributes(a, p); });
  }
  const auto states = static_cast<Index>(f.written) + static_cast<Index>(f.buffered.steps.size());
  if (states % f.segment == 0) flush();
}

void H5mdWriter::flush() {
  if (!file_) return;
  const Hdf5Quiet quiet;
  file_->flush();
}

void H5mdWriter::finish(bool complete) {
  if (!file_) return;
  const Hdf5Quiet quiet;
  file_->flush();
  file_->close();
  file_->reopen();
  if (file_->length() != file_->written) file_->set_length(file_->written);
  const int value = complete ? 1 : 0;
  {
    const Hdf5Handle group(H5Gopen2(file_->file, "/parameters", H5P_DEFAULT), H5Gclose, "open /parameters");
    const Hdf5Handle attribute(H5Aopen(group, "complete", H5P_DEFAULT), H5Aclose, "open complete");
    hdf5_check(H5Awrite(attribute, H5T_NATIVE_INT, &value), "write complete");
  }
  file_->send_off();
  file_->close();
  const std::string path = file_->path;
  const H5mdBody body = std::move(file_->body);
  file_.reset();
  require_written(path, body);
}

void write_h5md(const std::string& file, const H5mdBody& body, const sim::Trajectory& trajectory) {
  H5mdWriter writer(file, body);
  for (std::size_t k = 0; k < trajectory.states.size(); ++k)
    writer.append(trajectory.step[k], trajectory.states[k], body.attributes ? &trajectory.rosters.at(k) : nullptr);
  writer.finish(trajectory.complete);
}

}  // namespace pithball::datasets
