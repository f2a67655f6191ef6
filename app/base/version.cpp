#include "app/base/version.hpp"

#include <fmt/format.h>
#include <link.h>

#include <cstdint>
#include <cstring>

namespace pithball::app {
namespace {

constexpr std::size_t padded(std::size_t bytes) { return (bytes + 3) / 4 * 4; }

/// Appends the build ID to `id` if the notes of this loaded object contain one.
void find_build_id(const char* note, const char* end, std::string& id) {
  while (note + sizeof(ElfW(Nhdr)) <= end) {
    ElfW(Nhdr) head;
    std::memcpy(&head, note, sizeof head);
    const char* const name = note + sizeof head;
    const char* const value = name + padded(head.n_namesz);
    if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0)
      for (unsigned k = 0; k < head.n_descsz; ++k) id += fmt::format("{:02x}", static_cast<unsigned char>(value[k]));
    note = value + padded(head.n_descsz);
  }
}

/// Whether a loaded object contains an address.
bool contains(const dl_phdr_info& object, std::uintptr_t address) {
  for (int k = 0; k < object.dlpi_phnum; ++k) {
    const ElfW(Phdr)& part = object.dlpi_phdr[k];
    const std::uintptr_t first = object.dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_LOAD && address >= first && address < first + part.p_memsz) return true;
  }
  return false;
}

/// Stores the build ID of the object that contains this code: the program, or the module that Python loads.
int visit_object(dl_phdr_info* object, std::size_t, void* id) {
  if (!contains(*object, reinterpret_cast<std::uintptr_t>(&visit_object))) return 0;
  for (int k = 0; k < object->dlpi_phnum; ++k) {
    const ElfW(Phdr)& part = object->dlpi_phdr[k];
    if (part.p_type != PT_NOTE) continue;
    const char* const notes = reinterpret_cast<const char*>(object->dlpi_addr + part.p_vaddr);
    find_build_id(notes, notes + part.p_memsz, *static_cast<std::string*>(id));
  }
  return 1;  // the other objects are libraries, or the program that loaded this module
}

}  // namespace

std::string program_build() {
  std::string id;
  dl_iterate_phdr(visit_object, &id);
  return fmt::format("pithball {}, build {}", version, id.empty() ? "unknown" : id.substr(0, 16));
}

}  // namespace pithball::app
