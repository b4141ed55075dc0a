// A simulated disk with a file system on it: a tree of directories, files (sim_file.h), and the changes to
// directories that no directory sync has made durable yet. It outlives the ports (processes) that use it:
//   power cut = SimPort::crash_now() or crash_at(), then SimDisk::crash(), then a fresh port;
//   killed process = the same without SimDisk::crash().
// A copy of it is a backup image. Paths are from the root; relative ones count as such.
// Owner: one simulated node.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/prng.h"
#include "tests/sim/ring/sim_file.h"

namespace hayward::sim {

using InodeId = std::uint64_t;

class SimDisk {
 public:
  explicit SimDisk(std::uint64_t seed);

  // --- for tests and the simulator
  // All unsynced sectors, sizes and directory changes are each kept or lost, by the seed. No descriptor
  // may be open.
  void crash();
  // All is lost: the disk was replaced.
  void wipe();
  std::uint64_t capacity_bytes = UINT64_MAX;
  // Directory changes reach the disk in the order they were made (a journal), or each on its own.
  bool changes_in_order = true;
  // A durable file or directory, made with its parents; the file gets this content.
  void put(std::string_view path, std::string_view content);
  void put_directory(std::string_view path);
  bool exists(std::string_view path) const;
  // What a read would give, and what would be left if all unsynced was lost; "" if there is no such file.
  std::string content(std::string_view path) const;
  std::string durable_content(std::string_view path) const;
  // The file itself, for damage at rest; nullptr if there is none.
  SimFile* file(std::string_view path);
  std::uint64_t used_bytes() const;
  const CrashCounts& crash_counts() const { return crash_counts_; }

  // --- for SimPort: as the system calls; 0 or more, or -errno
  int open(std::string_view path, int flags, InodeId& out);
  void retain(InodeId id);  // one more descriptor or operation holds it open
  void release(InodeId id);
  bool is_directory(InodeId id) const { return inode(id).directory; }
  SimFile& file(InodeId id) { return inode(id).file; }
  std::int64_t write(InodeId id, std::uint64_t offset, Bytes bytes);  // bytes written; short when nearly full
  int reserve(InodeId id, std::uint64_t end);
  void sync(InodeId id);
  int rename(std::string_view from, std::string_view to);
  int unlink(std::string_view path);
  int make_directory(std::string_view path);
  std::int64_t file_size(std::string_view path) const;
  int list(std::string_view path, std::vector<std::string>& names) const;
  // The lock of an open file description, `holder` != 0.
  int try_lock(InodeId id, std::uint64_t holder);
  void unlock(InodeId id, std::uint64_t holder);
  std::uint64_t next_holder() { return ++last_holder_; }

 private:
  using Entries = std::map<std::string, InodeId, std::less<>>;
  struct Inode {
    bool directory = false;
    SimFile file;
    Entries entries;          // as the running system sees them
    Entries durable_entries;  // as the platter has them
    unsigned open_count = 0;
    unsigned links = 0;  // from `entries`
    std::uint64_t lock_holder = 0;
  };
  struct Edit {
    InodeId directory;
    std::string name;
    InodeId target;  // 0: the name goes
  };
  using Change = std::vector<Edit>;  // atomic
  struct Place {
    InodeId directory = 0;  // 0: a parent is missing
    std::string_view name;  // empty: the root itself
    InodeId target = 0;     // 0: no such name
  };

  const Inode& inode(InodeId id) const;
  Inode& inode(InodeId id);
  Place find(std::string_view path) const;
  InodeId create(const Place& place, bool directory);
  void apply(Change change);
  void apply_durable(const Change& change);
  void sync_directory(InodeId id);
  void collect_garbage();
  // How far the file may grow: the end up to which there is space.
  std::uint64_t room_until(const SimFile& file) const;

  Prng prng_;
  std::map<InodeId, Inode> inodes_;
  std::vector<Change> unsynced_;
  InodeId last_inode_ = 0;
  std::uint64_t last_holder_ = 0;
  CrashCounts crash_counts_;
};

}  // namespace hayward::sim
