#pragma once
#include <string>

namespace pithball::experiments {

/// Throws InvalidArgument if the file exists or lies in no folder; for commands that look before they work.
void require_new_file(const std::string& name);

/// Writes a new file as a whole: it appears under its name once all of it is on disk. Throws InvalidArgument as above,
/// std::runtime_error if the disk refuses.
void write_new_file(const std::string& name, const std::string& content);

/// The same for a file that may be there already: until all of it is on disk, the old one stays.
void replace_file(const std::string& name, const std::string& content);

}  // namespace pithball::experiments
