// See output.h.
#include "net/output.h"

#include <algorithm>
#include <climits>

#include "schemas/runtime/assert.h"
#include "schemas/runtime/writer.h"

namespace hayward::net {

void Output::begin(std::uint64_t total) {
  total_ = total;
  if (!fits()) return;
  Writer(start_).write_i32(static_cast<std::int32_t>(total));
  add(Bytes(start_).first(sizeof(std::int32_t)));
}

void Output::set(Buffer bytes) {
  clear();
  head_ = std::move(bytes);
  begin(head_.size());
  add(head_);
}

void Output::set_small(Bytes bytes) {
  HAYWARD_ASSERT(bytes.size() <= small_bytes, "a small answer is small");
  clear();
  total_ = bytes.size();
  Writer writer(start_);
  writer.write_i32(static_cast<std::int32_t>(bytes.size()));
  writer.write_raw(bytes);
  add(Bytes(start_).first(writer.written()));
}

void Output::set(Buffer head, driver::LogSlice slice, Buffer tail, bool compact_length) {
  clear();
  head_ = std::move(head);
  tail_ = std::move(tail);
  slice_ = std::move(slice);
  std::uint64_t slice_bytes = 0;
  for (const Bytes part : slice_.parts) slice_bytes += part.size();
  Writer length(length_);
  if (compact_length)
    length.write_uvarint(slice_bytes + 1);
  else
    length.write_i32(static_cast<std::int32_t>(slice_bytes));
  begin(head_.size() + length.written() + slice_bytes + tail_.size());
  add(head_);
  add(Bytes(length_).first(length.written()));
  for (const Bytes part : slice_.parts) add(part);
  add(tail_);
}

void Output::add(Bytes bytes) {
  if (bytes.empty()) return;
  parts_.push_back({const_cast<std::byte*>(bytes.data()), bytes.size()});
}

std::span<const iovec> Output::parts() const {
  const std::size_t count = std::min<std::size_t>(parts_.size() - next_, IOV_MAX);
  return std::span(parts_).subspan(next_, count);
}

void Output::advance(std::size_t sent) {
  while (sent > 0 && next_ < parts_.size()) {
    iovec& part = parts_[next_];
    const std::size_t taken = std::min(sent, part.iov_len);
    part.iov_base = static_cast<std::byte*>(part.iov_base) + taken;
    part.iov_len -= taken;
    sent -= taken;
    if (part.iov_len == 0) ++next_;
  }
}

void Output::clear() {
  Buffer().swap(head_);
  Buffer().swap(tail_);
  slice_ = {};
  parts_.clear();
  next_ = 0;
  total_ = 0;
}

}  // namespace hayward::net
