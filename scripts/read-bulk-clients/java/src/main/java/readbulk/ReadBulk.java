package readbulk;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import mxaccess_gateway.v1.MxaccessGateway.BulkReadResult;

/**
 * The ReadBulk benchmark of a gateway's client in Java, over grpc-java. Its settings come from the
 * environment. Its last line is the common JSON object (scripts/read-bulk/result.go) for
 * scripts/read-bulk.sh.
 */
public final class ReadBulk {
    /**
     * Follows a call that did not reach the gateway, to avoid a busy loop. No latency includes it.
     */
    private static final Duration PAUSE = Duration.ofMillis(100);

    /** How long an interrupt waits for the results to be printed. */
    private static final Duration LAST_WORDS = Duration.ofSeconds(4);

    private static volatile boolean interrupted;

    private ReadBulk() {}

    public static void main(String[] arguments) throws InterruptedException {
        CountDownLatch ended = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            interrupted = true;
            try {
                ended.await(LAST_WORDS.toMillis(), TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }));
        int code = 0;
        try {
            bench();
        } catch (StatusRuntimeException | IllegalStateException | IOException e) {
            String cause = e.getCause() == null ? "" : ": " + e.getCause().getMessage();
            System.err.println("read-bulk java: " + e.getMessage() + cause);
            code = 1;
        } finally {
            ended.countDown();
        }
        System.exit(code);
    }

    /**
     * Runs the complete flow. An interrupt ends only the loops, so that the results are printed.
     */
    private static void bench() throws IOException, InterruptedException {
        Settings settings = Settings.fromEnvironment();
        try (Session session = new Session(settings)) {
            session.subscribe();
            read(session, settings.warmup());
            System.out.println(read(session, settings.duration()).summary());
        }
    }

    /** Calls ReadBulk repeatedly for the duration, or until an interrupt. */
    private static Window read(Session session, Duration duration) throws InterruptedException {
        Window window = new Window();
        long begun = System.nanoTime();
        long now = begun;
        while (now - begun < duration.toNanos() && !interrupted) {
            boolean unavailable = false;
            try {
                List<BulkReadResult> results = session.readBulk();
                window.add(System.nanoTime() - now, results);
            } catch (IllegalStateException e) {
                window.addFailed(System.nanoTime() - now);
            } catch (StatusRuntimeException e) {
                window.addFailed(System.nanoTime() - now);
                unavailable = e.getStatus().getCode() == Status.Code.UNAVAILABLE;
            }
            if (unavailable) {
                Thread.sleep(PAUSE.toMillis());
            }
            now = System.nanoTime();
        }
        window.end(now - begun);
        return window;
    }
}
