package readbulk;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.LongStream;

import mxaccess_gateway.v1.MxaccessGateway.BulkReadResult;

/** The result of consecutive calls. Times are in nanoseconds. */
final class Window {
    private static final int ROOM = 1024;

    private long elapsed;
    private long[] latencies = new long[ROOM]; // of all calls, including failed ones
    private int calls;
    private long failed;
    private long results;
    private long cached;

    void add(long took, List<BulkReadResult> read) {
        record(took);
        results += read.size();
        for (BulkReadResult result : read) {
            if (result.getWasSuccessful() && result.getWasCached()) {
                cached++;
            }
        }
    }

    void addFailed(long took) {
        record(took);
        failed++;
    }

    private void record(long took) {
        if (calls == latencies.length) {
            latencies = Arrays.copyOf(latencies, 2 * calls);
        }
        latencies[calls++] = took;
    }

    void end(long after) {
        elapsed = after;
        Arrays.sort(latencies, 0, calls);
    }

    /** Returns the common JSON object. */
    String summary() {
        double perSecond = calls == 0 ? 0 : calls / (elapsed / 1e9);
        double mean = LongStream.of(latencies).limit(calls).average().orElse(0) / 1e6;
        return String.format(Locale.ROOT,
                "{\"language\":\"java\",\"durationMs\":%.3f,\"totalCalls\":%d,\"successfulCalls\":%d,\"failedCalls\":%d,"
                        + "\"totalReadResults\":%d,\"cachedReadResults\":%d,\"callsPerSecond\":%.3f,"
                        + "\"latencyMs\":{\"p50\":%.6f,\"p95\":%.6f,\"p99\":%.6f,\"max\":%.6f,\"mean\":%.6f}}",
                elapsed / 1e6, calls, calls - failed, failed, results, cached, perSecond, rank(0.50), rank(0.95), rank(0.99), rank(1), mean);
    }

    /**
     * The smallest latency, in ms, that is not exceeded by a share of all calls; 0 without calls.
     */
    private double rank(double share) {
        return calls == 0 ? 0 : latencies[(int) Math.ceil(share * calls) - 1] / 1e6;
    }
}
