package readbulk;

import io.grpc.ChannelCredentials;
import io.grpc.InsecureChannelCredentials;
import io.grpc.TlsChannelCredentials;
import java.io.File;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;

/** The settings from the environment, where scripts/read-bulk.sh sets them. */
record Settings(
        String address, String key, List<String> tags, Duration duration, Duration warmup, ChannelCredentials credentials, String serverName) {

    static Settings fromEnvironment() throws IOException {
        String address = text("MXGW_URL", "");
        String key = text("MXGW_KEY", "");
        String tags = text("TAGS", "");
        if (address.isEmpty() || key.isEmpty() || tags.isEmpty()) {
            throw new IllegalStateException("MXGW_URL (host:port), MXGW_KEY and TAGS (names with commas between them) must be set");
        }
        return new Settings(address, key, List.of(tags.split(",")), seconds("DURATION", "30s"), seconds("WARMUP", "2s"), transport(),
                text("TLS_SERVER_NAME", ""));
    }

    /** TLS with the authorities in a file, or those of the system without a file. */
    private static ChannelCredentials transport() throws IOException {
        if (!text("TLS", "").equals("true")) {
            return InsecureChannelCredentials.create();
        }
        String file = text("TLS_CA", "");
        return file.isEmpty() ? TlsChannelCredentials.create() : TlsChannelCredentials.newBuilder().trustManager(new File(file)).build();
    }

    /** Parses a duration in seconds, such as 30s or 0.5s, the only form of read-bulk.sh. */
    private static Duration seconds(String name, String fallback) {
        String value = text(name, fallback);
        try {
            return Duration.ofNanos(new BigDecimal(value.replaceFirst("s$", "")).movePointRight(9).longValueExact());
        } catch (ArithmeticException | NumberFormatException e) {
            throw new IllegalStateException(name + " must be seconds, such as 30s, but is \"" + value + '"');
        }
    }

    private static String text(String name, String fallback) {
        String value = System.getenv(name);
        return value == null || value.isEmpty() ? fallback : value;
    }
}
