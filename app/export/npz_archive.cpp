#include "app/export/npz_archive.hpp"

#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <exception>
#include <memory>
#include <stdexcept>

namespace pithball::app {
namespace {

/// An array as libzip reads it: header and pieces as one stream of bytes.
class Stream {
 public:
  explicit Stream(const NpyArray& array) : array_(array), header_(array.header()) {}
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// What libzip calls; `self` is the stream.
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
        } catch (...) {  // not through a library in C
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

  /// What went wrong in the making of a piece, if anything did.
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
  std::string_view rest_;  // of the header, or of the piece before the next
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
  constexpr std::size_t before = 10, unit = 64;  // magic string, version and length; what all of it is a multiple of
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
    zip_file_set_dostime(archive.get(), number, 0, 0x21, 0);  // 1980-01-01: equal motions give equal files
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
  archive.release();  // closing freed it
}

}  // namespace pithball::app
