// Kafka's own codec, for test_codec.py:
//   produce SEED ROUNDS CORPUS NAME...   random content of each message, in each version
//   recode CORPUS                        reads and re-writes each entry; says what came out different
//   errors | apis                        Kafka's error codes; versions and header versions per api key
// The corpus format is told in codec_check.cc. Content is set by walking each version's Schema.
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HexFormat;
import java.util.Random;
import java.util.TreeMap;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.protocol.types.ArrayOf;
import org.apache.kafka.common.protocol.types.BoundField;
import org.apache.kafka.common.protocol.types.CompactArrayOf;
import org.apache.kafka.common.protocol.types.Field;
import org.apache.kafka.common.protocol.types.Schema;
import org.apache.kafka.common.protocol.types.TaggedFields;
import org.apache.kafka.common.protocol.types.Type;
import org.apache.kafka.common.record.internal.MemoryRecords;

public class Codec {
    private static final String[] PIECES = {"a", "topic-1", "\u00e9", "\u20ac", "\ud83d\ude00", " "};
    private static Random random;

    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "produce" -> produce(Long.parseLong(args[1]), Integer.parseInt(args[2]), args[3],
                                      Arrays.copyOfRange(args, 4, args.length));
            case "recode" -> System.exit(recode(args[1]));
            case "errors" -> {
                for (Errors e : Errors.values()) System.out.println(e.code() + " " + e.name());
            }
            case "apis" -> apis();
            default -> throw new IllegalArgumentException(args[0]);
        }
    }

    private static Class<?> messageClass(String name) throws ClassNotFoundException {
        for (String candidate : new String[] {"message." + name + "Data", "message." + name, "metadata." + name}) {
            try {
                return Class.forName("org.apache.kafka.common." + candidate);
            } catch (ClassNotFoundException e) {
                continue;
            }
        }
        throw new ClassNotFoundException(name);
    }

    private static void produce(long seed, int rounds, String path, String[] names) throws Exception {
        random = new Random(seed);
        try (DataOutputStream out = new DataOutputStream(new BufferedOutputStream(new FileOutputStream(path)))) {
            for (String name : names) {
                Class<?> type = messageClass(name);
                Schema[] schemas = (Schema[]) type.getField("SCHEMAS").get(null);
                for (int version = 0; version < schemas.length; version++) {
                    if (schemas[version] == null) continue;
                    for (int i = 0; i < rounds; i++) {
                        Message message = (Message) create(type);
                        fill(message, schemas[version]);
                        byte[] bytes = write(message, (short) version);
                        out.writeShort(name.length());
                        out.write(name.getBytes(StandardCharsets.US_ASCII));
                        out.writeShort(version);
                        out.writeInt(bytes.length);
                        out.write(bytes);
                    }
                }
            }
        }
    }

    private static int recode(String path) throws Exception {
        int entries = 0;
        int wrong = 0;
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(new FileInputStream(path)))) {
            while (in.available() > 0) {
                String name = new String(in.readNBytes(in.readShort()), StandardCharsets.US_ASCII);
                short version = in.readShort();
                byte[] bytes = in.readNBytes(in.readInt());
                entries++;
                String result = recodeOne(name, version, bytes);
                if (result == null) continue;
                if (++wrong <= 10) System.out.println(name + " v" + version + ": " + result);
            }
        }
        System.out.println(entries + " entries, " + wrong + " wrong");
        return wrong == 0 && entries > 0 ? 0 : 1;
    }

    private static String recodeOne(String name, short version, byte[] bytes) throws Exception {
        String before = "\n  in  " + HexFormat.of().formatHex(bytes);
        try {
            Message message = (Message) create(messageClass(name));
            ByteBuffer buffer = ByteBuffer.wrap(bytes);
            message.read(new ByteBufferAccessor(buffer), version);
            if (buffer.hasRemaining()) return "bytes left over" + before;
            byte[] after = write(message, version);
            return Arrays.equals(bytes, after) ? null : "differs" + before + "\n  out " + HexFormat.of().formatHex(after);
        } catch (RuntimeException e) {
            return "refused: " + e + before;
        }
    }

    private static byte[] write(Message message, short version) {
        ByteBuffer buffer = MessageUtil.toByteBufferAccessor(message, version).buffer();
        return MessageUtil.byteBufferToArray(buffer);
    }

    private static void apis() {
        for (ApiKeys key : ApiKeys.controllerApis()) {
            StringBuilder line = new StringBuilder(key.id + " " + key.name + " " + key.oldestVersion() + " " + key.latestVersion());
            for (short version = key.oldestVersion(); version <= key.latestVersion(); version++) {
                line.append(" ").append(key.requestHeaderVersion(version)).append("/").append(key.responseHeaderVersion(version));
            }
            System.out.println(line);
        }
    }

    private static Object create(Class<?> type) throws Exception {
        var constructor = type.getDeclaredConstructor();
        constructor.setAccessible(true);
        return constructor.newInstance();
    }

    private static void fill(Object target, Schema schema) throws Exception {
        for (BoundField bound : schema.fields()) {
            if (bound.def.type instanceof TaggedFields tagged) {
                for (Field field : new TreeMap<>(tagged.fields()).values()) set(target, field);
            } else {
                set(target, bound.def);
            }
        }
    }

    private static void set(Object target, Field field) throws Exception {
        java.lang.reflect.Field member = member(target.getClass(), field.name.replace("_", ""));
        member.setAccessible(true);
        member.set(target, value(field.type, member));
    }

    private static java.lang.reflect.Field member(Class<?> type, String name) throws NoSuchFieldException {
        for (java.lang.reflect.Field member : type.getDeclaredFields()) {
            if (!Modifier.isStatic(member.getModifiers()) && member.getName().equalsIgnoreCase(name)) return member;
        }
        throw new NoSuchFieldException(type + " " + name);
    }

    private static Object value(Type type, java.lang.reflect.Field member) throws Exception {
        if (type instanceof ArrayOf array) return array(array.isNullable(), array.arrayElementType().get(), member);
        if (type instanceof CompactArrayOf array) return array(array.isNullable(), array.arrayElementType().get(), member);
        if (type instanceof Schema schema) {
            Object inner = create(member.getType());
            fill(inner, schema);
            return inner;
        }
        if (type.isNullable() && random.nextInt(4) == 0) return null;
        if (type == Type.RECORDS || type == Type.COMPACT_RECORDS || type == Type.NULLABLE_RECORDS
            || type == Type.COMPACT_NULLABLE_RECORDS) {
            return MemoryRecords.readableRecords(ByteBuffer.wrap(bytes()));
        }
        if (member.getType() == ByteBuffer.class) return ByteBuffer.wrap(bytes());
        if (member.getType() == byte[].class) return bytes();
        return scalar(type);
    }

    private static Object scalar(Type type) {
        if (type == Type.BOOLEAN) return random.nextBoolean();
        if (type == Type.INT8) return (byte) number(Byte.MIN_VALUE, Byte.MAX_VALUE);
        if (type == Type.INT16) return (short) number(Short.MIN_VALUE, Short.MAX_VALUE);
        if (type == Type.UINT16) return (int) number(0, 65535) & 0xffff;
        if (type == Type.INT32) return (int) number(Integer.MIN_VALUE, Integer.MAX_VALUE);
        if (type == Type.INT64) return number(Long.MIN_VALUE, Long.MAX_VALUE);
        if (type == Type.FLOAT64) return new double[] {0.0, -1.5, 1e300, 0.1, Double.NaN}[random.nextInt(5)];
        if (type == Type.UUID) {
            return random.nextInt(3) == 0 ? Uuid.ZERO_UUID : new Uuid(random.nextLong(), random.nextLong());
        }
        if (type == Type.STRING || type == Type.COMPACT_STRING || type == Type.NULLABLE_STRING
            || type == Type.COMPACT_NULLABLE_STRING) {
            StringBuilder text = new StringBuilder();
            for (int left = length(); left > 0; left--) text.append(PIECES[random.nextInt(PIECES.length)]);
            return text.toString();
        }
        throw new IllegalStateException("a type this program does not know: " + type);
    }

    private static long number(long least, long most) {
        return switch (random.nextInt(6)) {
            case 0 -> 0;
            case 1 -> -1;
            case 2 -> least;
            case 3 -> most;
            case 4 -> random.nextInt(1000);
            default -> random.nextLong();
        };
    }

    private static int length() {
        return random.nextInt(10) == 0 ? 120 + random.nextInt(15) : random.nextInt(8);
    }

    private static byte[] bytes() {
        byte[] bytes = new byte[length()];
        random.nextBytes(bytes);
        return bytes;
    }

    @SuppressWarnings("unchecked")
    private static Object array(boolean nullable, Type elementType, java.lang.reflect.Field member) throws Exception {
        if (nullable && random.nextInt(4) == 0) return null;
        boolean isList = member.getType() == java.util.List.class;
        var list = (Collection<Object>) (isList ? new ArrayList<>() : create(member.getType()));
        var generic = isList ? member.getGenericType() : member.getType().getGenericSuperclass();
        var elementClass = (Class<?>) ((ParameterizedType) generic).getActualTypeArguments()[0];
        int size = random.nextInt(12) == 0 ? 17 : random.nextInt(4);
        for (int i = 0; i < size; i++) {
            if (elementType instanceof Schema schema) {
                Object element = create(elementClass);
                fill(element, schema);
                list.add(element);
            } else {
                list.add(scalar(elementType));
            }
        }
        return list;
    }
}
