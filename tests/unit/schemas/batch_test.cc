// Record batches: what is built is read back; each fault has its name; nothing is read past the end.
#include <gtest/gtest.h>

#include "schemas/batch/batch_reader.h"
#include "schemas/batch/batch_writer.h"
#include "schemas/batch/crc32c.h"
#include "schemas/records/topic_record.h"
#include "tests/unit/schemas/bytes.h"

namespace hayward {
namespace {

Buffer three_records() {
  BatchBuilder batch(Offset{100}, Epoch{7}, 1234);
  batch.add(std::nullopt, as_bytes("one"));
  batch.add(as_bytes("key"), as_bytes("two"));
  batch.add(std::nullopt, {});
  return batch.finish();
}

// Writes a big-endian value of `size` bytes and mends the checksum.
void patch(Buffer& batch, std::size_t at, std::uint64_t value, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) batch[at + i] = static_cast<std::byte>(value >> (8 * (size - 1 - i)));
  if (at == batch_format::crc_at) return;
  patch(batch, batch_format::crc_at, crc32c(Bytes(batch).subspan(batch_format::attributes_at)), 4);
}

std::optional<BatchError> fault_of(const Buffer& bytes) {
  const ExactBytes exact(bytes);
  const auto header = check_batch(exact);
  if (!header) return header.error();
  RecordIterator records(*header, exact);
  while (records.next()) continue;
  EXPECT_FALSE(records.next()) << "stays ended";
  return records.error();
}

TEST(Batch, WhatIsBuiltIsRead) {
  const Buffer bytes = three_records();
  const auto header = check_batch(bytes);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->size(), bytes.size());
  EXPECT_EQ(header->base_offset, Offset{100});
  EXPECT_EQ(header->last_offset(), Offset{102});
  EXPECT_EQ(header->epoch, Epoch{7});
  EXPECT_EQ(header->base_timestamp_ms, 1234);
  EXPECT_EQ(header->max_timestamp_ms, 1234);
  EXPECT_EQ(header->producer_id, -1);
  EXPECT_FALSE(header->is_control());
  RecordIterator records(*header, bytes);
  const auto one = records.next();
  ASSERT_TRUE(one);
  EXPECT_EQ(one->offset, Offset{100});
  EXPECT_FALSE(one->key);
  EXPECT_EQ(as_text(*one->value), "one");
  const auto two = records.next();
  ASSERT_TRUE(two);
  EXPECT_EQ(as_text(*two->key), "key");
  const auto three = records.next();
  ASSERT_TRUE(three);
  EXPECT_EQ(three->offset, Offset{102});
  EXPECT_TRUE(three->value->empty());
  EXPECT_FALSE(records.next());
  EXPECT_FALSE(records.error());
}

TEST(Batch, FramedRecordAndSizes) {
  BatchBuilder batch(Offset{0}, Epoch{1}, 5);
  EXPECT_TRUE(batch.empty());
  records::TopicRecord topic;
  topic.name = "t";
  for (int i = 0; i < 200; ++i) {  // past one-byte offset deltas
    const std::size_t before = batch.size();
    const std::size_t wanted = batch.size_of_next(records::framed_size(topic, 0));
    batch.add(topic, 0);
    ASSERT_EQ(batch.size() - before, wanted);
  }
  EXPECT_EQ(batch.next_offset(), Offset{200});
  const Buffer bytes = batch.finish();
  const auto header = check_batch(bytes);
  ASSERT_TRUE(header);
  RecordIterator records(*header, bytes);
  Arena arena;
  int count = 0;
  while (const auto record = records.next()) {
    const auto frame = records::parse_frame(*record->value);
    ASSERT_TRUE(frame);
    ASSERT_EQ(records::decode_body<records::TopicRecord>(*frame, arena), topic);
    ++count;
  }
  EXPECT_EQ(count, 200);
  EXPECT_FALSE(records.error());
}

TEST(Batch, CutAtEachByte) {
  const Buffer bytes = three_records();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const ExactBytes cut(Bytes(bytes).first(size));
    const auto header = check_batch(cut);
    ASSERT_FALSE(header);
    EXPECT_EQ(header.error(), BatchError::truncated);
    if (const auto parsed = parse_batch_header(cut)) {
      RecordIterator records(*parsed, cut);
      EXPECT_FALSE(records.next());
      EXPECT_EQ(records.error(), BatchError::truncated);
    }
  }
}

TEST(Batch, BytesAfterItAreAllowed) {
  Buffer bytes = three_records();
  const std::size_t size = bytes.size();
  bytes.resize(size + 40, std::byte{0xee});
  const auto header = check_batch(bytes);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->size(), size);
  RecordIterator records(*header, bytes);
  while (records.next()) continue;
  EXPECT_FALSE(records.error());
}

TEST(Batch, EachFlippedBitIsNoticed) {
  const Buffer bytes = three_records();
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    // Base offset and epoch are not under the checksum: they are filled in after it is made.
    if (at < batch_format::length_at || (at >= batch_format::epoch_at && at < batch_format::magic_at)) continue;
    for (int bit = 0; bit < 8; ++bit) {
      Buffer flipped = bytes;
      flipped[at] ^= static_cast<std::byte>(1 << bit);
      EXPECT_FALSE(check_batch(ExactBytes(flipped))) << at << "." << bit;
    }
  }
}

TEST(Batch, HeaderFaults) {
  const auto with = [](std::size_t at, std::uint64_t value, std::size_t size) {
    Buffer bytes = three_records();
    patch(bytes, at, value, size);
    return fault_of(bytes);
  };
  EXPECT_EQ(with(batch_format::length_at, 48, 4), BatchError::bad_length);
  EXPECT_EQ(with(batch_format::length_at, 0xffffffff, 4), BatchError::bad_length);
  EXPECT_EQ(with(batch_format::length_at, 0x7fffffff, 4), BatchError::truncated);
  EXPECT_EQ(with(batch_format::magic_at, 1, 1), BatchError::bad_magic);
  EXPECT_EQ(with(batch_format::crc_at, 1, 4), BatchError::bad_crc);
  EXPECT_EQ(with(batch_format::base_offset_at, ~std::uint64_t{0}, 8), BatchError::bad_offsets);
  EXPECT_EQ(with(batch_format::base_offset_at, 0x7fffffffffffffff, 8), BatchError::bad_offsets)
      << "last offset overflows";
  EXPECT_EQ(with(23, 3, 4), BatchError::bad_offsets) << "last offset delta";
  EXPECT_EQ(with(57, 0, 4), BatchError::bad_offsets) << "record count";
  EXPECT_EQ(with(57, 0x80000000, 4), BatchError::bad_offsets);
  EXPECT_EQ(with(batch_format::attributes_at, 1, 2), BatchError::compressed);
  EXPECT_EQ(fault_of(three_records()), std::nullopt);
}

// A batch of one record whose bytes are given, under a right header.
Buffer batch_of(std::string_view record_hex) {
  BatchBuilder builder(Offset{0}, Epoch{1}, 5);
  builder.add(std::nullopt, as_bytes("x"));
  Buffer bytes = builder.finish();
  bytes.resize(batch_format::records_at);
  const Buffer record = from_hex(record_hex);
  bytes.insert(bytes.end(), record.begin(), record.end());
  patch(bytes, batch_format::length_at, bytes.size() - batch_format::length_overhead, 4);
  return bytes;
}

TEST(Batch, RecordFaults) {
  EXPECT_EQ(fault_of(batch_of("0e 00 00 00 01 02 78 00")), std::nullopt);
  EXPECT_EQ(fault_of(batch_of("")), BatchError::record_truncated);
  EXPECT_EQ(fault_of(batch_of("80")), BatchError::record_truncated);
  EXPECT_EQ(fault_of(batch_of("00")), BatchError::record_truncated) << "length 0";
  EXPECT_EQ(fault_of(batch_of("01")), BatchError::record_truncated) << "length -1";
  EXPECT_EQ(fault_of(batch_of("10 00 00 00 01 02 78 00")), BatchError::record_truncated) << "length past the batch";
  EXPECT_EQ(fault_of(batch_of("0c 00 00 00 01 02 78 00")), BatchError::record_truncated)
      << "no room for the header count";
  EXPECT_EQ(fault_of(batch_of("0e 00 00 00 01 7e 78 00")), BatchError::record_truncated) << "value past the record";
  EXPECT_EQ(fault_of(batch_of("0e 00 00 00 01 02 78 00 00")), BatchError::record_trailing) << "after the last record";
  EXPECT_EQ(fault_of(batch_of("10 00 00 00 01 02 78 00 00")), BatchError::record_trailing) << "within the record";
  EXPECT_EQ(fault_of(batch_of("0e 00 02 00 01 02 78 00")), BatchError::record_timestamp);
  EXPECT_EQ(fault_of(batch_of("0e 00 00 02 01 02 78 00")), BatchError::record_offset);
  EXPECT_EQ(fault_of(batch_of("0e 00 00 00 01 02 78 02")), BatchError::record_headers);
  EXPECT_EQ(fault_of(batch_of("0e 00 00 00 01 02 78 01")), BatchError::record_headers) << "-1 headers";
}

TEST(Batch, ErrorsHaveNames) {
  for (int error = 0; error <= static_cast<int>(BatchError::control_value); ++error) {
    EXPECT_NE(name(static_cast<BatchError>(error)), "unknown batch error");
  }
}

}  // namespace
}  // namespace hayward
