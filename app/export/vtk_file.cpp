#include "app/export/vtk_file.hpp"

#include <fmt/format.h>

#include <bit>

namespace pithball::app {

std::string comment_line(std::string text) {
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (static_cast<unsigned char>(text[k]) < ' ') text[k] = ' ';
    if (text[k] == '-' && k > 0 && text[k - 1] == '-') text[k] = '_';
  }
  return text;
}

VtkFile::VtkFile(const std::string& type, const std::string& comment)
    : text_(fmt::format("<?xml version=\"1.0\"?>\n<!-- {} -->\n<VTKFile type=\"{}\" version=\"1.0\" byte_order=\"{}\" "
                        "header_type=\"UInt64\">\n",
                        comment_line(comment), type,
                        std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian")) {}

void VtkFile::add_bytes(const std::string& name, const char* type, int components, const char* data,
                        std::uint64_t bytes) {
  text_ +=
      fmt::format("<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" offset=\"{}\"/>\n",
                  type, name, components, numbers_.size());
  numbers_.append(reinterpret_cast<const char*>(&bytes), sizeof bytes);
  if (bytes > 0) numbers_.append(data, bytes);
}

void VtkFile::add_array(const std::string& name, int components, const double* data, Index count) {
  add_bytes(name, "Float64", components, reinterpret_cast<const char*>(data), count * sizeof *data);
}

void VtkFile::add_array(const std::string& name, int components, const std::int64_t* data, Index count) {
  add_bytes(name, "Int64", components, reinterpret_cast<const char*>(data), count * sizeof *data);
}

std::string VtkFile::finish() const {
  return text_ + "<AppendedData encoding=\"raw\">\n_" + numbers_ + "\n</AppendedData>\n</VTKFile>\n";
}

}  // namespace pithball::app
