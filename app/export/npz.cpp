#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <exception>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/export/export_format.hpp"

namespace pithball::app {

/// One array of a NumPy archive: a header of .npy format 1.0, followed by blocks of memory with the elements in C
/// order. The memory is not copied. Blocks can be produced on demand.
class NpyArray {
 public:
  /// `name` as in Python: archive["name"].
  NpyArray(std::string name, std::vector<std::uint64_t> shape) : name_(std::move(name)), shape_(std::move(shape)) {}

  /// Appends `count` elements; all blocks have elements of one type.
  void add(const double* elements, std::uint64_t count) { add("f8", elements, count * sizeof *elements); }
  /// Likewise for 64-bit integers.
  void add(const std::int64_t* elements, std::uint64_t count) { add("i8", elements, count * sizeof *elements); }
  /// Likewise for bools, which take one byte each.
  void add(const bool* elements, std::uint64_t count) { add("b1", elements, count * sizeof *elements); }
  /// Appends `pieces` blocks of `count` elements each. `make` returns one block, which must stay valid until its next
  /// call.
  void add(std::uint64_t pieces, std::uint64_t count, std::function<const double*(std::size_t piece)> make) {
    add("f8", pieces, count * sizeof(double), std::move(make));
  }
  /// Likewise for 64-bit integers.
  void add(std::uint64_t pieces, std::uint64_t count, std::function<const std::int64_t*(std::size_t piece)> make) {
    add("i8", pieces, count * sizeof(std::int64_t), std::move(make));
  }

  /// The name as given, without ".npy".
  const std::string& name() const { return name_; }
  /// Returns the magic string, the version, and the dictionary with type, order and shape, padded to a multiple of 64
  /// bytes.
  std::string header() const;
  /// Returns the size of all elements in bytes.
  std::uint64_t size() const;
  /// Returns the number of blocks of memory.
  std::size_t pieces() const;
  /// Returns the bytes of a block, valid until the next block is requested.
  std::string_view piece(std::size_t number) const;

 private:
  struct Part {
    std::uint64_t pieces = 1, bytes = 0;  // `bytes`: of each piece
    std::function<const void*(std::size_t)> make;
  };
  void add(const char* kind, const void* elements, std::uint64_t bytes) {
    add(kind, 1, bytes, [elements](std::size_t) { return elements; });
  }
  void add(const char* kind, std::uint64_t pieces, std::uint64_t bytes, std::function<const void*(std::size_t)> make) {
    kind_ = kind;
    parts_.push_back({pieces, bytes, std::move(make)});
  }
  std::string name_, kind_ = "f8";
  std::vector<std::uint64_t> shape_;
  std::vector<Part> parts_;
};

/// Writes a NumPy archive (.npz): an uncompressed zip file with one NAME.npy for each array, without buffering whole
/// arrays. Throws std::runtime_error on a write error, and rethrows errors of `make`. `progress` receives the completed
/// fraction.
void write_npz(const std::filesystem::path& file, const std::vector<NpyArray>& arrays,
               const std::function<void(double)>& progress = {});

namespace {

/// An array as libzip reads it: header and pieces as one stream of bytes.
class Stream {
 public:
  explicit Stream(const NpyArray& array) : array_(array), header_(array.header()) {}
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// The callback for libzip; `self` is the stream.
  static zip_int64_t answer(void* self, void* data, zip_uint64_t length, zip_source_cmd_t command) {
    auto& stream = *static_cast<Stream*>(self);
    switch (command) {
      case ZIP_SOURCE_OPEN:
        stream.next_ = 0;
        stream.rest_ = stream.header_;
        return 0;
      case ZIP_SOURCE_READ:
        try {
          return stream.read(static_cast<char*>(data), length);
        } catch (...) {  // exceptions must not pass through a C library
          stream.failure_ = std::current_exception();
          return -1;
        }
      case ZIP_SOURCE_CLOSE:
        return 0;
      case ZIP_SOURCE_STAT: {
        auto* status = static_cast<zip_stat_t*>(data);
        zip_stat_init(status);
        status->size = stream.header_.size() + stream.array_.size();
        status->valid |= ZIP_STAT_SIZE;
        return sizeof *status;
      }
      case ZIP_SOURCE_ERROR: {
        zip_error_t none;
        zip_error_init(&none);
        return zip_error_to_data(&none, data, length);
      }
      case ZIP_SOURCE_FREE:
        return 0;
      case ZIP_SOURCE_SUPPORTS:
        return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT,
                                              ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, -1);
      default:
        return -1;
    }
  }

  /// Rethrows the error that occurred while a piece was made, if any.
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  zip_int64_t read(char* to, zip_uint64_t length) {
    zip_uint64_t done = 0;
    while (done < length && (!rest_.empty() || next_ < array_.pieces())) {
      if (rest_.empty()) rest_ = array_.piece(next_++);
      const zip_uint64_t part = std::min<zip_uint64_t>(length - done, rest_.size());
      if (part > 0) std::memcpy(to + done, rest_.data(), part);
      done += part;
      rest_.remove_prefix(part);
    }
    return static_cast<zip_int64_t>(done);
  }

  const NpyArray& array_;
  std::string header_;
  std::string_view rest_;  // of the header, or of the current piece
  std::size_t next_ = 0;
  std::exception_ptr failure_;
};

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& reason) {
  throw std::runtime_error(fmt::format("cannot write {}: {}", file.string(), reason));
}

}  // namespace

std::uint64_t NpyArray::size() const {
  std::uint64_t bytes = 0;
  for (const Part& part : parts_) bytes += part.pieces * part.bytes;
  return bytes;
}

std::size_t NpyArray::pieces() const {
  std::size_t count = 0;
  for (const Part& part : parts_) count += part.pieces;
  return count;
}

std::string_view NpyArray::piece(std::size_t number) const {
  auto part = parts_.begin();
  for (; number >= part->pieces; ++part) number -= part->pieces;
  return {static_cast<const char*>(part->make(number)), part->bytes};
}

std::string NpyArray::header() const {
  const char order = kind_ == "b1" ? '|' : std::endian::native == std::endian::little ? '<' : '>';
  std::string sizes;
  for (const std::uint64_t size : shape_) sizes += fmt::format("{}, ", size);  // Python reads (3, ) as a tuple of one
  std::string text = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}), }}", order, kind_, sizes);
  constexpr std::size_t before = 10, unit = 64;  // magic string, version and length; alignment of the header
  text.append(unit - (before + text.size() + 1) % unit, ' ');
  text += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(text.size() & 0xff);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

void write_npz(const std::filesystem::path& file, const std::vector<NpyArray>& arrays,
               const std::function<void(double)>& progress) {
  std::vector<std::unique_ptr<Stream>> streams;
  for (const NpyArray& array : arrays) streams.push_back(std::make_unique<Stream>(array));
  int code = 0;
  std::unique_ptr<zip_t, void (*)(zip_t*)> archive(zip_open(file.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code),
                                                   zip_discard);
  if (!archive) fail(file, fmt::format("libzip error {}", code));
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    zip_source_t* source = zip_source_function(archive.get(), Stream::answer, streams[k].get());
    const zip_int64_t index =
        source ? zip_file_add(archive.get(), (arrays[k].name() + ".npy").c_str(), source, ZIP_FL_ENC_UTF_8) : -1;
    if (index < 0) {
      if (source) zip_source_free(source);
      fail(file, zip_strerror(archive.get()));
    }
    const auto number = static_cast<zip_uint64_t>(index);
    zip_set_file_compression(archive.get(), number, ZIP_CM_STORE, 0);
    zip_file_set_dostime(archive.get(), number, 0, 0x21, 0);  // 1980-01-01, so that equal motions give equal files
  }
  std::function<void(double)> report = progress ? progress : [](double) {};
  zip_register_progress_callback_with_state(
      archive.get(), 0.01,
      [](zip_t*, double fraction, void* to) { (*static_cast<std::function<void(double)>*>(to))(fraction); }, nullptr,
      &report);
  if (zip_close(archive.get()) != 0) {
    for (const auto& stream : streams) stream->rethrow();
    fail(file, zip_strerror(archive.get()));
  }
  archive.release();  // zip_close has freed it
}

namespace {

/// Computes the elements of an array state by state.
template <class Number>
class OfStates {
 public:
  using Fill = std::function<void(const datasets::H5mdFrame&, std::vector<Number>&)>;
  /// `fill` overwrites `blank` with a state's elements; slots without a particle keep `blank`.
  OfStates(const ExportedMotion& motion, std::vector<Number> blank, Fill fill)
      : states_(motion.states()), blank_(std::move(blank)), fill_(std::move(fill)) {}
  const Number* operator()(std::size_t state) {
    numbers_ = blank_;
    fill_(states_[state], numbers_);
    if (state + 1 == states_.size()) states_.release();
    return numbers_.data();
  }

 private:
  datasets::H5mdPages states_;
  std::vector<Number> blank_, numbers_;
  Fill fill_;
};

/// Returns an array with elements of shape `row` per state, equal to `nobody` except where `fill` writes them.
template <class Number>
NpyArray of_states(const ExportedMotion& motion, const std::string& name, const std::vector<std::uint64_t>& row,
                   Number nobody, typename OfStates<Number>::Fill fill) {
  std::vector<std::uint64_t> shape{motion.size()};
  shape.insert(shape.end(), row.begin(), row.end());
  std::uint64_t count = 1;
  for (const std::uint64_t length : row) count *= length;
  NpyArray array(name, shape);
  std::function<const Number*(std::size_t)> make =
      OfStates<Number>(motion, std::vector<Number>(count, nobody), std::move(fill));
  array.add(motion.size(), count, std::move(make));
  return array;
}

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

/// Returns the 3×N columns of all states as an array [T, N, 3]: in memory, 3×N columns are N rows of three.
NpyArray of_columns(const ExportedMotion& motion, const char* name, Points sim::State::*what) {
  const std::uint64_t width = motion.most_particles();
  return of_states<double>(motion, name, {width, 3}, nothing,
                           [what](const datasets::H5mdFrame& frame, std::vector<double>& numbers) {
                             const Points& columns = frame.state.*what;
                             std::copy(columns.data(), columns.data() + columns.size(), numbers.begin());
                           });
}

/// Returns a property of each particle in each state, [T, N], with `nobody` in empty slots.
template <class Number, class ValueOf>
NpyArray of_each(const ExportedMotion& motion, const std::string& name, Number nobody, ValueOf value_of) {
  const std::uint64_t width = motion.most_particles();
  return of_states<Number>(motion, name, {width}, nobody,
                           [value_of](const datasets::H5mdFrame& frame, std::vector<Number>& numbers) {
                             for (std::size_t p = 0; p < frame.roster->size(); ++p) numbers[p] = value_of(frame, p);
                           });
}

/// Returns the arrays that describe particles that come and go.
std::vector<NpyArray> of_passing_particles(const ExportedMotion& motion) {
  std::vector<NpyArray> arrays;
  if (!motion.come_and_go()) return arrays;
  using Frame = datasets::H5mdFrame;
  arrays.push_back(
      of_each<std::int64_t>(motion, "id", -1, [](const Frame& frame, std::size_t p) { return frame.roster->id[p]; }));
  arrays.push_back(of_each<std::int64_t>(motion, "like", -1,
                                         [](const Frame& frame, std::size_t p) { return frame.roster->like[p]; }));
  arrays.push_back(of_each<double>(motion, "age", nothing, [](const Frame& frame, std::size_t p) {
    return frame.state.t - frame.roster->birth_time[p];
  }));
  for (std::size_t a = 0; a < motion.attributes.size(); ++a)
    arrays.push_back(of_each<double>(motion, motion.attributes[a], nothing, [a](const Frame& frame, std::size_t p) {
      return frame.roster->attributes(a, p);
    }));
  return arrays;
}

template <class List>
NpyArray of_list(const char* name, const List& values) {
  const std::uint64_t count = values.size();
  NpyArray array(name, {count});
  array.add(values.data(), count);
  return array;
}

/// Returns an array with one number for each particle or spring; if values change with time, for each state, too: [T,
/// N]. The numbers of the first state must outlive the array.
template <class ValuesOf>
NpyArray of_values(const ExportedMotion& motion, const char* name, const Vector& first, ValuesOf values_of) {
  if (!motion.changes()) return of_list(name, first);
  return of_states<double>(motion, name, {static_cast<std::uint64_t>(first.size())}, nothing,
                           [&motion, values_of](const datasets::H5mdFrame& frame, std::vector<double>& numbers) {
                             const Vector values = values_of(motion.present(frame));
                             std::copy(values.begin(), values.end(), numbers.begin());
                           });
}

/// Plain bools, because std::vector<bool> packs its bits.
using Flags = std::unique_ptr<bool[]>;
NpyArray of_flags(const char* name, const std::vector<bool>& values, Flags& memory) {
  memory = std::make_unique<bool[]>(values.size());
  std::copy(values.begin(), values.end(), memory.get());
  NpyArray array(name, {values.size()});
  array.add(memory.get(), values.size());
  return array;
}

Vector charge_of(const ExportedMotion& motion) { return motion.model.charge(); }
Vector rest_length_of(const ExportedMotion& motion) { return motion.rest_length(); }
Vector stiffness_of(const ExportedMotion& motion) { return motion.stiffness(); }

}  // namespace

ExportResult export_npz(const ExportedMotion& motion, const ExportChoices&, NewFolder& folder, Progress& progress) {
  const std::vector<std::int64_t> steps(motion.step.begin(), motion.step.end());
  std::vector<std::int64_t> springs;
  for (const sim::Spring& spring : motion.model.springs()) springs.insert(springs.end(), {spring.i, spring.j});
  const Vector mass = motion.model.mass(), charge = charge_of(motion), rest_length = rest_length_of(motion),
               stiffness = stiffness_of(motion);
  NpyArray pairs("springs", {motion.model.springs().size(), 2});
  pairs.add(springs.data(), springs.size());
  Flags pinned, driven;

  const std::string name = motion.name + ".npz";
  std::vector<NpyArray> arrays{of_list("times", motion.time),
                               of_list("steps", steps),
                               of_columns(motion, "positions", &sim::State::x),
                               of_columns(motion, "velocities", &sim::State::v),
                               of_list("mass", mass),
                               of_values(motion, "charge", charge, charge_of),
                               pairs,
                               of_values(motion, "rest_length", rest_length, rest_length_of),
                               of_values(motion, "stiffness", stiffness, stiffness_of),
                               of_flags("pinned", motion.pinned(), pinned),
                               of_flags("driven", motion.driven(), driven)};
  const std::vector<NpyArray> passing = of_passing_particles(motion);
  arrays.insert(arrays.end(), passing.begin(), passing.end());
  write_npz(folder.add(name), arrays, [&](double fraction) { progress.update(fraction * motion.size()); });
  return {name, {}};
}

}  // namespace pithball::app
