// The same few record batches as batches.cc, written by Kafka's code; one line of hex each.
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.KRaftVersionRecord;
import org.apache.kafka.common.message.LeaderChangeMessage;
import org.apache.kafka.common.message.SnapshotFooterRecord;
import org.apache.kafka.common.message.SnapshotHeaderRecord;
import org.apache.kafka.common.message.VotersRecord;
import org.apache.kafka.common.metadata.FeatureLevelRecord;
import org.apache.kafka.common.metadata.NoOpRecord;
import org.apache.kafka.common.metadata.PartitionChangeRecord;
import org.apache.kafka.common.metadata.TopicRecord;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.metadata.MetadataRecordSerde;
import org.apache.kafka.raft.internals.BatchBuilder;
import org.apache.kafka.server.common.ApiMessageAndVersion;

public class Batches {
    private static final long TIME = 1_700_000_000_123L;

    public static void main(String[] args) {
        print(data());
        print(firstControlBatch());
        print(MemoryRecords.withSnapshotHeaderRecord(0, TIME, 3, ByteBuffer.allocate(512),
            new SnapshotHeaderRecord().setVersion((short) 0).setLastContainedLogTimestamp(TIME - 5)).buffer());
        print(MemoryRecords.withSnapshotFooterRecord(777, TIME, 3, ByteBuffer.allocate(512),
            new SnapshotFooterRecord().setVersion((short) 0)).buffer());
    }

    private static ByteBuffer data() {
        var cache = new ObjectSerializationCache();
        var batch = new BatchBuilder<ApiMessageAndVersion>(ByteBuffer.allocate(1 << 20), MetadataRecordSerde.INSTANCE,
            Compression.NONE, 5_000_000_000L, TIME, 7, 1 << 20);
        batch.appendRecord(new ApiMessageAndVersion(
            new FeatureLevelRecord().setName("metadata.version").setFeatureLevel((short) 30), (short) 0), cache);
        batch.appendRecord(new ApiMessageAndVersion(
            new TopicRecord().setName("t".repeat(200)).setTopicId(new Uuid(1, 2)), (short) 0), cache);
        batch.appendRecord(new ApiMessageAndVersion(new PartitionChangeRecord().setPartitionId(3).setTopicId(new Uuid(1, 2))
            .setIsr(List.of(1, 2)).setLeader(1).setEligibleLeaderReplicas(List.of()), (short) 2), cache);
        for (int i = 0; i < 100; i++) batch.appendRecord(new ApiMessageAndVersion(new NoOpRecord(), (short) 0), cache);
        return batch.build().buffer();
    }

    private static ByteBuffer firstControlBatch() {
        var builder = new MemoryRecordsBuilder(ByteBuffer.allocate(1024), RecordBatch.CURRENT_MAGIC_VALUE, Compression.NONE,
            TimestampType.CREATE_TIME, 0, TIME, RecordBatch.NO_PRODUCER_ID, RecordBatch.NO_PRODUCER_EPOCH,
            RecordBatch.NO_SEQUENCE, false, true, 2, 1024);
        var voter = new LeaderChangeMessage.Voter().setVoterId(3000);
        builder.appendLeaderChangeMessage(TIME, new LeaderChangeMessage().setVersion((short) 0).setLeaderId(3000)
            .setVoters(List.of(voter)).setGrantingVoters(List.of(voter.duplicate())));
        builder.appendKRaftVersionMessage(TIME, new KRaftVersionRecord().setVersion((short) 0).setKRaftVersion((short) 1));
        var endpoints = new VotersRecord.EndpointCollection(1);
        endpoints.add(new VotersRecord.Endpoint().setName("CONTROLLER").setHost("localhost").setPort(40000));
        builder.appendVotersMessage(TIME, new VotersRecord().setVersion((short) 0).setVoters(List.of(
            new VotersRecord.Voter().setVoterId(3000).setVoterDirectoryId(new Uuid(8, 9)).setEndpoints(endpoints)
                .setKRaftVersionFeature(new VotersRecord.KRaftVersionFeature().setMinSupportedVersion((short) 0)
                    .setMaxSupportedVersion((short) 1)))));
        return builder.build().buffer();
    }

    private static void print(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        System.out.println(HexFormat.of().formatHex(bytes));
    }
}
