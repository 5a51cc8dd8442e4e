"""The ReadBulk benchmark of a gateway's client in Python, over grpcio.

Its settings come from the environment. Its last line is the common JSON object
(scripts/read-bulk/result.go) for scripts/read-bulk.sh. grpcio-tools generates the modules
mxaccess_gateway_pb2 and _pb2_grpc at build time.
"""

import json
import math
import os
import signal
import sys
import time
from array import array
from pathlib import Path

import grpc
import mxaccess_gateway_pb2 as pb
from mxaccess_gateway_pb2_grpc import MxAccessGatewayStub

NAME = "read-bulk python"
CALL_TIMEOUT = 10  # seconds; far above the gateway's rare stalls
WAIT_MS = 1000  # how long the worker may wait for a tag without a value
PAUSE = 0.1  # seconds after a call that found no gateway, so that the client does not spin; it belongs to no call


class Failure(Exception):
    """A one-line error."""


class Settings:
    """The settings from the environment, where scripts/read-bulk.sh sets them."""

    def __init__(self):
        self.address, self.key, tags = (os.environ.get(name, "") for name in ("MXGW_URL", "MXGW_KEY", "TAGS"))
        if not (self.address and self.key and tags):
            raise Failure("MXGW_URL (host:port), MXGW_KEY and TAGS (names with commas between them) must be set")
        self.tags = tags.split(",")
        self.duration = seconds("DURATION", "30s")
        self.warmup = seconds("WARMUP", "2s")

    def channel(self):
        if os.environ.get("TLS") != "true":
            return grpc.insecure_channel(self.address)
        file, server_name = os.environ.get("TLS_CA"), os.environ.get("TLS_SERVER_NAME")
        credentials = grpc.ssl_channel_credentials(Path(file).read_bytes() if file else None)
        return grpc.secure_channel(self.address, credentials, [("grpc.ssl_target_name_override", server_name)] if server_name else None)


def seconds(name, fallback):
    """Parses a duration in seconds, such as 30s or 0.5s, the only form of read-bulk.sh."""
    value = os.environ.get(name) or fallback
    try:
        return float(value.removesuffix("s"))
    except ValueError:
        raise Failure(f"{name} must be seconds, such as 30s, but is {value!r}") from None


class Session:
    """An open session of a gateway, with tags to read."""

    def __init__(self, gateway, settings):
        self.gateway = gateway
        self.tags = settings.tags
        self.metadata = (("authorization", f"Bearer {settings.key}"),)
        self.server = 0
        self.items = []
        reply = gateway.OpenSession(pb.OpenSessionRequest(client_session_name=NAME), timeout=CALL_TIMEOUT, metadata=self.metadata)
        check(reply.protocol_status)
        self.id = reply.session_id
        print("backend:", reply.backend_name, file=sys.stderr)

    def subscribe(self):
        """Registers a client and subscribes to the tags, so that the worker caches their values."""
        reply = self.invoke(pb.MX_COMMAND_KIND_REGISTER, register=pb.RegisterCommand(client_name=NAME))
        self.server = reply.register.server_handle
        command = pb.SubscribeBulkCommand(server_handle=self.server, tag_addresses=self.tags)
        reply = self.invoke(pb.MX_COMMAND_KIND_SUBSCRIBE_BULK, subscribe_bulk=command)
        self.items = [item.item_handle for item in reply.bulk_subscribe.results if item.was_successful]

    def read_bulk(self):
        """Makes one call. Returns a result for each tag, or raises."""
        command = pb.ReadBulkCommand(server_handle=self.server, tag_addresses=self.tags, timeout_ms=WAIT_MS)
        results = self.invoke(pb.MX_COMMAND_KIND_READ_BULK, read_bulk=command).bulk_read.results
        if len(results) != len(self.tags):
            raise Failure(f"{len(results)} results for {len(self.tags)} tags")
        return results

    def close(self):
        """Unsubscribes and closes the session, if the gateway answers."""
        try:
            command = pb.UnsubscribeBulkCommand(server_handle=self.server, item_handles=self.items)
            self.invoke(pb.MX_COMMAND_KIND_UNSUBSCRIBE_BULK, unsubscribe_bulk=command)
            self.gateway.CloseSession(pb.CloseSessionRequest(session_id=self.id), timeout=CALL_TIMEOUT, metadata=self.metadata)
        except (grpc.RpcError, Failure) as error:
            print(f"{NAME}: closing:", text_of(error), file=sys.stderr)

    def invoke(self, kind, **payload):
        request = pb.MxCommandRequest(session_id=self.id, command=pb.MxCommand(kind=kind, **payload))
        reply = self.gateway.Invoke(request, timeout=CALL_TIMEOUT, metadata=self.metadata)
        check(reply.protocol_status, reply.hresult)
        return reply


def check(status, hresult=0):
    """Raises the error in the reply to a successful call."""
    if status.code != pb.PROTOCOL_STATUS_CODE_OK:
        known = status.code in pb.ProtocolStatusCode.values()
        raise Failure(f"{pb.ProtocolStatusCode.Name(status.code) if known else status.code}: {status.message}")
    if hresult < 0:
        raise Failure(f"hresult {hresult & 0xFFFFFFFF:#010x}")


class Window:
    """The result of consecutive calls."""

    def __init__(self):
        self.elapsed = 0.0
        self.latencies = array("d")  # seconds, of every call, failed ones too
        self.failed = self.results = self.cached = 0

    def add(self, results):
        self.results += len(results)
        self.cached += sum(result.was_successful and result.was_cached for result in results)

    def summary(self):
        """Returns the common JSON object."""
        latencies, calls = sorted(self.latencies), len(self.latencies)

        def rank(share):
            """The smallest latency, in ms, that is not exceeded by a share of all calls; 0 without
            calls.
            """
            return 1000 * latencies[math.ceil(share * calls) - 1] if calls else 0.0

        return {
            "language": "python",
            "durationMs": 1000 * self.elapsed,
            "totalCalls": calls,
            "successfulCalls": calls - self.failed,
            "failedCalls": self.failed,
            "totalReadResults": self.results,
            "cachedReadResults": self.cached,
            "callsPerSecond": calls / self.elapsed if calls else 0.0,
            "latencyMs": {
                "p50": rank(0.50),
                "p95": rank(0.95),
                "p99": rank(0.99),
                "max": rank(1),
                "mean": 1000 * sum(latencies) / calls if calls else 0.0,
            },
        }


def read(session, duration, interrupted):
    """Calls ReadBulk repeatedly for the duration, or until an interrupt."""
    window = Window()
    begun = now = time.perf_counter()
    while now - begun < duration and not interrupted:
        results, pause = (), 0
        try:
            results = session.read_bulk()
        except Failure:
            window.failed += 1
        except grpc.RpcError as error:
            window.failed += 1
            pause = PAUSE if error.code() == grpc.StatusCode.UNAVAILABLE else 0
        window.latencies.append(time.perf_counter() - now)
        window.add(results)
        if pause:
            time.sleep(pause)
        now = time.perf_counter()
    window.elapsed = now - begun
    return window


def bench():
    """Runs the complete flow. An interrupt ends only the loops, so that the results are printed."""
    interrupted = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *caught: interrupted.append(caught))
    settings = Settings()
    with settings.channel() as channel:
        session = Session(MxAccessGatewayStub(channel), settings)
        try:
            session.subscribe()
            read(session, settings.warmup, interrupted)
            window = read(session, settings.duration, interrupted)
        finally:
            session.close()
    print(json.dumps(window.summary()))


def text_of(error):
    return f"{error.code().name}: {error.details()}" if isinstance(error, grpc.RpcError) else error


if __name__ == "__main__":
    try:
        bench()
    except (grpc.RpcError, Failure, OSError) as error:
        sys.exit(f"{NAME}: {text_of(error)}")
