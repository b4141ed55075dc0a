// Names on the simulated disk: looking them up, changing them, and what a directory sync makes durable.
#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include "schemas/runtime/assert.h"
#include "tests/sim/ring/sim_disk.h"

namespace hayward::sim {

constexpr InodeId root = 1;

// "." counts as nothing; ".." is not known and is found missing.
SimDisk::Place SimDisk::find(std::string_view path) const {
  Place place{.directory = root, .name = {}, .target = root};
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view name = path.substr(0, slash);
    path.remove_prefix(slash == path.npos ? path.size() : slash + 1);
    if (name.empty() || name == ".") continue;
    if (place.target == 0 || !inode(place.target).directory) return {};
    const Entries& entries = inode(place.target).entries;
    const auto it = entries.find(name);
    place = {.directory = place.target, .name = name, .target = it == entries.end() ? 0 : it->second};
  }
  return place;
}

InodeId SimDisk::create(const Place& place, bool directory) {
  const InodeId id = ++last_inode_;
  inodes_[id].directory = directory;
  apply({{place.directory, std::string(place.name), id}});
  return id;
}

void SimDisk::apply(Change change) {
  for (const Edit& edit : change) {
    Entries& entries = inode(edit.directory).entries;
    if (const auto old = entries.find(edit.name); old != entries.end()) {
      --inode(old->second).links;
      entries.erase(old);
    }
    if (edit.target == 0) continue;
    ++inode(edit.target).links;
    entries[edit.name] = edit.target;
  }
  unsynced_.push_back(std::move(change));
}

void SimDisk::apply_durable(const Change& change) {
  for (const Edit& edit : change) {
    Entries& entries = inode(edit.directory).durable_entries;
    if (edit.target == 0) {
      entries.erase(edit.name);
    } else {
      entries[edit.name] = edit.target;
    }
  }
}

// Makes this directory's changes durable, and with a rename that spans two of them the earlier changes of
// the other one: a change cannot reach the disk before one that it builds on.
void SimDisk::sync_directory(InodeId id) {
  std::set<InodeId> wanted{id};
  std::vector<bool> taken(unsynced_.size());
  for (std::size_t i = unsynced_.size(); i-- > 0;) {
    const Change& change = unsynced_[i];
    taken[i] = std::any_of(change.begin(), change.end(), [&](const Edit& e) { return wanted.contains(e.directory); });
    if (!taken[i]) continue;
    for (const Edit& edit : change) wanted.insert(edit.directory);
  }
  std::vector<Change> left;
  for (std::size_t i = 0; i < unsynced_.size(); ++i) {
    if (taken[i]) {
      apply_durable(unsynced_[i]);
    } else {
      left.push_back(std::move(unsynced_[i]));
    }
  }
  unsynced_ = std::move(left);
  collect_garbage();
}

int SimDisk::open(std::string_view path, int flags, InodeId& out) {
  const Place place = find(path);
  const bool writes = (flags & O_ACCMODE) != O_RDONLY;
  if (place.directory == 0) return -ENOENT;
  if (place.target == 0) {
    if ((flags & O_CREAT) == 0) return -ENOENT;
    out = create(place, false);
    return 0;
  }
  Inode& node = inode(place.target);
  if ((flags & O_CREAT) != 0 && (flags & O_EXCL) != 0) return -EEXIST;
  if (node.directory && writes) return -EISDIR;
  if (!node.directory && (flags & O_DIRECTORY) != 0) return -ENOTDIR;
  if ((flags & O_TRUNC) != 0 && writes) node.file.truncate(0);
  out = place.target;
  return 0;
}

int SimDisk::rename(std::string_view from, std::string_view to) {
  const Place source = find(from);
  const Place goal = find(to);
  if (source.target == 0 || goal.directory == 0) return -ENOENT;
  if (source.name.empty() || goal.name.empty()) return -EBUSY;
  if (source.target == goal.target) return 0;
  if (goal.target != 0) {
    const Inode& old = inode(goal.target);
    if (old.directory && !inode(source.target).directory) return -EISDIR;
    if (!old.directory && inode(source.target).directory) return -ENOTDIR;
    if (old.directory && !old.entries.empty()) return -ENOTEMPTY;
  }
  apply({{source.directory, std::string(source.name), 0}, {goal.directory, std::string(goal.name), source.target}});
  return 0;
}

int SimDisk::unlink(std::string_view path) {
  const Place place = find(path);
  if (place.target == 0) return -ENOENT;
  if (inode(place.target).directory) return -EISDIR;
  apply({{place.directory, std::string(place.name), 0}});
  return 0;
}

int SimDisk::make_directory(std::string_view path) {
  const Place place = find(path);
  if (place.directory == 0) return -ENOENT;
  if (place.target != 0) return -EEXIST;
  create(place, true);
  return 0;
}

std::int64_t SimDisk::file_size(std::string_view path) const {
  const InodeId id = find(path).target;
  return id == 0 ? -ENOENT : static_cast<std::int64_t>(inode(id).file.size());
}

int SimDisk::list(std::string_view path, std::vector<std::string>& names) const {
  const InodeId id = find(path).target;
  if (id == 0) return -ENOENT;
  if (!inode(id).directory) return -ENOTDIR;
  for (const auto& [name, target] : inode(id).entries) names.push_back(name);
  return 0;
}

void SimDisk::put_directory(std::string_view path) {
  for (std::size_t slash = 0; slash != path.npos;) {
    slash = path.find('/', slash + 1);
    const Place place = find(path.substr(0, slash));
    if (place.target != 0) continue;
    create(place, true);
    sync_directory(place.directory);
  }
}

void SimDisk::put(std::string_view path, std::string_view content) {
  if (const std::size_t slash = path.rfind('/'); slash != path.npos && slash > 0) put_directory(path.substr(0, slash));
  Place place = find(path);
  if (place.target == 0) place.target = create(place, false);
  SimFile& file = inode(place.target).file;
  file.truncate(0);
  file.write(0, as_bytes(content));
  file.sync();
  sync_directory(place.directory);
}

bool SimDisk::exists(std::string_view path) const { return find(path).target != 0; }

SimFile* SimDisk::file(std::string_view path) {
  const InodeId id = find(path).target;
  return id == 0 || inode(id).directory ? nullptr : &inode(id).file;
}

std::string SimDisk::content(std::string_view path) const {
  const InodeId id = find(path).target;
  return id == 0 ? "" : std::string(as_text(inode(id).file.cached()));
}

// The name and the bytes, as far as both are on the platter.
std::string SimDisk::durable_content(std::string_view path) const {
  const Place place = find(path);
  if (place.target == 0 || place.directory == 0) return "";
  const Entries& entries = inode(place.directory).durable_entries;
  const auto it = entries.find(place.name);
  return it == entries.end() ? "" : std::string(as_text(inode(it->second).file.durable()));
}

}  // namespace hayward::sim
