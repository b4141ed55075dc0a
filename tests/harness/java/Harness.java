// One long-lived JVM for the tests: runs Kafka's own tools in-process, sends single requests with
// Kafka's own codec, and decodes logs. One JSON object a line on stdin, one a line on stdout.

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.*;
import java.lang.reflect.InvocationTargetException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.*;
import org.apache.kafka.common.message.*;
import org.apache.kafka.common.protocol.*;
import org.apache.kafka.common.record.internal.*;
import org.apache.kafka.common.requests.ResponseHeader;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.security.authenticator.DefaultKafkaPrincipalBuilder;
import org.apache.kafka.common.utils.Exit;
import org.apache.kafka.metadata.MetadataRecordSerde;
import org.apache.kafka.common.metadata.MetadataJsonConverters;
import org.apache.kafka.server.common.ApiMessageAndVersion;

public class Harness {
    static final ObjectMapper MAPPER = new ObjectMapper();
    static final Map<String, Socket> CONNECTIONS = new HashMap<>();
    static int correlation = 0;
    static Integer firstExit;  // some tools catch what their own exit() throws and exit again

    static class ExitCalled extends Error {
        ExitCalled(int status) { super("exit " + status, null, false, false); }
    }

    static void exit(int status) {
        if (firstExit == null) firstExit = status;
        throw new ExitCalled(status);
    }

    public static void main(String[] args) throws Exception {
        PrintStream answers = System.out;
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        Exit.setExitProcedure((status, message) -> exit(status));
        Exit.setHaltProcedure((status, message) -> exit(status));
        for (String line; (line = requests.readLine()) != null; ) {
            ObjectNode answer = MAPPER.createObjectNode();
            try {
                JsonNode request = MAPPER.readTree(line);
                switch (request.get("op").asText()) {
                    case "tool" -> tool(request, answer);
                    case "rpc" -> rpc(request, answer);
                    case "records" -> records(request, answer);
                    case "frames" -> frames(request, answer);
                    case "close" -> close(request);
                    default -> answer.put("failure", "unknown op");
                }
            } catch (Throwable t) {
                StringWriter text = new StringWriter();
                t.printStackTrace(new PrintWriter(text));
                answer.put("failure", text.toString());
            }
            answers.println(MAPPER.writeValueAsString(answer));
            answers.flush();
        }
    }

    // {main, args[], stdin?} -> {exit, out, err}
    static void tool(JsonNode request, ObjectNode answer) throws Exception {
        String[] args = new String[request.get("args").size()];
        for (int i = 0; i < args.length; i++) args[i] = request.get("args").get(i).asText();
        ByteArrayOutputStream out = new ByteArrayOutputStream(), err = new ByteArrayOutputStream();
        PrintStream savedOut = System.out, savedErr = System.err;
        InputStream savedIn = System.in;
        int exit = 0;
        firstExit = null;
        System.setOut(new PrintStream(out, true));
        System.setErr(new PrintStream(err, true));
        if (request.has("stdin"))
            System.setIn(new ByteArrayInputStream(request.get("stdin").asText().getBytes(StandardCharsets.UTF_8)));
        try {
            Class.forName(request.get("main").asText()).getMethod("main", String[].class).invoke(null, (Object) args);
        } catch (InvocationTargetException e) {
            if (!(e.getCause() instanceof ExitCalled)) {
                exit = 255;
                e.getCause().printStackTrace(System.err);
            }
        } finally {
            System.setOut(savedOut);
            System.setErr(savedErr);
            System.setIn(savedIn);
        }
        answer.put("exit", firstExit != null ? firstExit : exit);
        answer.put("out", out.toString(StandardCharsets.UTF_8));
        answer.put("err", err.toString(StandardCharsets.UTF_8));
    }

    // {host, port, key, version, body, forward?, principal?, principal_type?, by_token?, address?, connection?, timeout_ms?}
    //   -> {response} | {closed: true} | {envelope_error}
    static void rpc(JsonNode request, ObjectNode answer) throws Exception {
        short key = (short) request.get("key").asInt();
        short version = (short) request.get("version").asInt();
        ApiMessageType type = ApiMessageType.fromApiKey(key);
        ApiMessage body = (ApiMessage) converter(type.newRequest().getClass())
            .getMethod("read", JsonNode.class, short.class).invoke(null, request.get("body"), version);
        String clientId = request.path("client_id").asText("differential");
        ByteBuffer frame = encode(new RequestHeaderData().setRequestApiKey(key).setRequestApiVersion(version)
            .setCorrelationId(++correlation).setClientId(clientId), type.requestHeaderVersion(version), body, version);
        boolean forward = request.path("forward").asBoolean(false);
        if (forward) frame = envelope(frame, request);
        ByteBuffer received = exchange(request, frame);
        if (received == null) {
            answer.put("closed", true);
            return;
        }
        if (forward) {
            new ResponseHeaderData().read(new ByteBufferAccessor(received) , (short) 1);
            EnvelopeResponseData outer = new EnvelopeResponseData(new ByteBufferAccessor(received), (short) 0);
            answer.put("envelope_error", outer.errorCode());
            if (outer.responseData() == null) return;
            received = outer.responseData();
        }
        ResponseHeader.parse(received, type.responseHeaderVersion(version));
        ApiMessage response = type.newResponse();
        // An ApiVersions error is encoded in version 0 whatever was asked.
        short readVersion = version;
        if (key == 18 && version > ApiMessageType.API_VERSIONS.highestSupportedVersion(true)) readVersion = 0;
        response.read(new ByteBufferAccessor(received), readVersion);
        answer.set("response", (JsonNode) converter(response.getClass())
            .getMethod("write", response.getClass(), short.class).invoke(null, response, readVersion));
        answer.put("left", received.remaining());
    }

    static ByteBuffer envelope(ByteBuffer inner, JsonNode request) throws Exception {
        KafkaPrincipal principal = new KafkaPrincipal(request.path("principal_type").asText("User"),
            request.path("principal").asText("ANONYMOUS"), request.path("by_token").asBoolean(false));
        EnvelopeRequestData body = new EnvelopeRequestData()
            .setRequestData(inner)
            .setRequestPrincipal(new DefaultKafkaPrincipalBuilder(null, null).serialize(principal))
            .setClientHostAddress(InetAddress.getByName(request.path("address").asText("127.0.0.1")).getAddress());
        return encode(new RequestHeaderData().setRequestApiKey((short) 58).setRequestApiVersion((short) 0)
            .setCorrelationId(++correlation).setClientId("broker"), (short) 2, body, (short) 0);
    }

    static ByteBuffer encode(RequestHeaderData header, short headerVersion, ApiMessage body, short version) {
        ObjectSerializationCache cache = new ObjectSerializationCache();
        int size = header.size(cache, headerVersion) + body.size(cache, version);
        ByteBuffer buffer = ByteBuffer.allocate(size);
        header.write(new ByteBufferAccessor(buffer), cache, headerVersion);
        body.write(new ByteBufferAccessor(buffer), cache, version);
        buffer.flip();
        return buffer;
    }

    static Class<?> converter(Class<?> data) throws ClassNotFoundException {
        return Class.forName(data.getName() + "JsonConverter");
    }

    static Socket connect(JsonNode request) throws IOException {
        String name = request.path("connection").asText("");
        Socket socket = name.isEmpty() ? null : CONNECTIONS.get(name);
        if (socket == null || socket.isClosed()) {
            socket = new Socket();
            socket.connect(new InetSocketAddress(request.get("host").asText(), request.get("port").asInt()), 5000);
            if (!name.isEmpty()) CONNECTIONS.put(name, socket);
        }
        socket.setSoTimeout(request.path("timeout_ms").asInt(10000));
        return socket;
    }

    static void close(JsonNode request) throws IOException {
        Socket socket = CONNECTIONS.remove(request.get("connection").asText());
        if (socket != null) socket.close();
    }

    static ByteBuffer exchange(JsonNode request, ByteBuffer frame) throws IOException {
        Socket socket = connect(request);
        boolean kept = request.has("connection");
        try {
            DataOutputStream out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
            out.writeInt(frame.remaining());
            out.write(frame.array(), frame.position(), frame.remaining());
            out.flush();
            DataInputStream in = new DataInputStream(socket.getInputStream());
            byte[] bytes = new byte[in.readInt()];
            in.readFully(bytes);
            return ByteBuffer.wrap(bytes);
        } catch (EOFException | java.net.SocketException e) {
            socket.close();
            return null;
        } finally {
            if (!kept) socket.close();
        }
    }

    // {host, port, hex[]}: raw bytes on one connection, each followed by a short read -> {hex[], closed}
    static void frames(JsonNode request, ObjectNode answer) throws Exception {
        ArrayNode received = answer.putArray("hex");
        try (Socket socket = connect(request)) {
            for (JsonNode hex : request.get("hex")) {
                socket.getOutputStream().write(HexFormat.of().parseHex(hex.asText()));
                byte[] bytes = new byte[65536];
                int n = socket.getInputStream().read(bytes);
                if (n < 0) {
                    answer.put("closed", true);
                    return;
                }
                received.add(HexFormat.of().formatHex(bytes, 0, n));
            }
        } catch (java.net.SocketTimeoutException e) {
            answer.put("silent", true);
        } catch (java.net.SocketException e) {
            answer.put("closed", true);
        }
    }

    // {files[]} -> {records: [{offset, epoch, batch, control?, type, version, data}]}; whole batches only
    static void records(JsonNode request, ObjectNode answer) throws Exception {
        ArrayNode records = answer.putArray("records");
        for (JsonNode file : request.get("files")) {
            ByteBuffer bytes = ByteBuffer.wrap(java.nio.file.Files.readAllBytes(java.nio.file.Path.of(file.asText())));
            for (MutableRecordBatch batch : MemoryRecords.readableRecords(bytes).batches()) {
                batch.ensureValid();
                for (org.apache.kafka.common.record.internal.Record record : batch) add(records, batch, record);
            }
        }
    }

    static void add(ArrayNode records, RecordBatch batch, org.apache.kafka.common.record.internal.Record record) {
        ObjectNode node = records.addObject();
        node.put("offset", record.offset());
        node.put("epoch", batch.partitionLeaderEpoch());
        node.put("batch", batch.baseOffset());
        node.put("timestamp", batch.maxTimestamp());
        if (batch.isControlBatch()) {
            ControlRecordType type = ControlRecordType.parse(record.key());
            node.put("control", true);
            node.put("type", type.name());
            switch (type) {
                case LEADER_CHANGE -> node.set("data", LeaderChangeMessageJsonConverter.write(
                    ControlRecordUtils.deserializeLeaderChangeMessage(record), (short) 1));
                case KRAFT_VERSION -> node.set("data", KRaftVersionRecordJsonConverter.write(
                    ControlRecordUtils.deserializeKRaftVersionRecord(record), (short) 0));
                case KRAFT_VOTERS -> node.set("data", VotersRecordJsonConverter.write(
                    ControlRecordUtils.deserializeVotersRecord(record), (short) 0));
                default -> { }
            }
            return;
        }
        ApiMessageAndVersion value = MetadataRecordSerde.INSTANCE.read(
            new ByteBufferAccessor(record.value()), record.valueSize());
        node.put("type", value.message().getClass().getSimpleName());
        node.put("version", value.version());
        node.set("data", MetadataJsonConverters.writeJson(value.message(), value.version()));
    }
}
