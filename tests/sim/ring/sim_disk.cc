// Files, space, power cuts; names and directories are in sim_disk_names.cc.
#include "tests/sim/ring/sim_disk.h"

#include <algorithm>
#include <cerrno>
#include <set>
#include <utility>

#include "schemas/runtime/assert.h"

namespace hayward::sim {

constexpr InodeId root = 1;

SimDisk::SimDisk(std::uint64_t seed) : prng_(seed) { wipe(); }

const SimDisk::Inode& SimDisk::inode(InodeId id) const {
  const auto it = inodes_.find(id);
  HAYWARD_ASSERT(it != inodes_.end(), "an inode of this disk");
  return it->second;
}

SimDisk::Inode& SimDisk::inode(InodeId id) { return const_cast<Inode&>(std::as_const(*this).inode(id)); }

void SimDisk::wipe() {
  for (const auto& [id, node] : inodes_) HAYWARD_ASSERT(node.open_count == 0, "the machine is off");
  inodes_.clear();
  unsynced_.clear();
  inodes_[root].directory = true;
  inodes_[root].links = 1;
  last_inode_ = root;
}

void SimDisk::crash() {
  for (const auto& [id, node] : inodes_) HAYWARD_ASSERT(node.open_count == 0, "crash the port before its disk");
  const std::size_t kept = prng_.below(unsynced_.size() + 1);
  for (std::size_t i = 0; i < unsynced_.size(); ++i) {
    const bool keep = changes_in_order ? i < kept : prng_.chance(1, 2);
    ++(keep ? crash_counts_.changes_kept : crash_counts_.changes_lost);
    if (keep) apply_durable(unsynced_[i]);
  }
  unsynced_.clear();
  for (auto& [id, node] : inodes_) {
    node.entries = node.durable_entries;
    node.links = id == root ? 1 : 0;
    node.lock_holder = 0;
  }
  for (const auto& [id, node] : inodes_) {
    for (const auto& [name, target] : node.entries) ++inode(target).links;
  }
  collect_garbage();
  for (auto& [id, node] : inodes_) node.file.crash(prng_, crash_counts_);
}

void SimDisk::collect_garbage() {
  std::set<InodeId> wanted{root};
  std::vector<InodeId> to_visit{root};
  const auto want = [&](InodeId id) {
    if (id != 0 && wanted.insert(id).second) to_visit.push_back(id);
  };
  for (const auto& [id, node] : inodes_) {
    if (node.open_count > 0) want(id);
  }
  for (const auto& change : unsynced_) {
    for (const auto& edit : change) {
      want(edit.directory);
      want(edit.target);
    }
  }
  while (!to_visit.empty()) {
    const Inode& node = inode(to_visit.back());
    to_visit.pop_back();
    for (const auto& [name, target] : node.entries) want(target);
    for (const auto& [name, target] : node.durable_entries) want(target);
  }
  std::erase_if(inodes_, [&](const auto& item) { return !wanted.contains(item.first); });
}

void SimDisk::retain(InodeId id) { ++inode(id).open_count; }

void SimDisk::release(InodeId id) {
  HAYWARD_ASSERT(inode(id).open_count > 0, "an open file");
  --inode(id).open_count;
}

std::uint64_t SimDisk::used_bytes() const {
  std::uint64_t used = 0;
  for (const auto& [id, node] : inodes_) {
    if (node.links > 0 || node.open_count > 0) used += node.file.allocated_bytes();
  }
  return used;
}

std::uint64_t SimDisk::room_until(const SimFile& file) const {
  if (capacity_bytes == UINT64_MAX) return UINT64_MAX;
  const std::uint64_t used = used_bytes();
  const std::uint64_t free = capacity_bytes > used ? capacity_bytes - used : 0;
  return file.allocated_bytes() + free / SimFile::sector_bytes * SimFile::sector_bytes;
}

std::int64_t SimDisk::write(InodeId id, std::uint64_t offset, Bytes bytes) {
  Inode& node = inode(id);
  const std::uint64_t room = room_until(node.file);
  if (!bytes.empty() && offset >= room) return -ENOSPC;
  bytes = bytes.first(static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), room - offset)));
  node.file.write(offset, bytes);
  return static_cast<std::int64_t>(bytes.size());
}

int SimDisk::reserve(InodeId id, std::uint64_t end) {
  Inode& node = inode(id);
  if (end > room_until(node.file)) return -ENOSPC;
  node.file.reserve(end);
  return 0;
}

void SimDisk::sync(InodeId id) {
  if (inode(id).directory) {
    sync_directory(id);
  } else {
    inode(id).file.sync();
  }
}

int SimDisk::try_lock(InodeId id, std::uint64_t holder) {
  Inode& node = inode(id);
  if (node.lock_holder != 0 && node.lock_holder != holder) return -EAGAIN;
  node.lock_holder = holder;
  return 0;
}

void SimDisk::unlock(InodeId id, std::uint64_t holder) {
  if (inode(id).lock_holder == holder) inode(id).lock_holder = 0;
}

}  // namespace hayward::sim
