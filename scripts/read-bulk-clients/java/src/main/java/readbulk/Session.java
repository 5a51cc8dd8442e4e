package readbulk;

import com.google.protobuf.Message;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.Grpc;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import mxaccess_gateway.v1.MxaccessGateway.BulkReadResult;
import mxaccess_gateway.v1.MxaccessGateway.BulkSubscribeResult;
import mxaccess_gateway.v1.MxaccessGateway.CloseSessionReply;
import mxaccess_gateway.v1.MxaccessGateway.CloseSessionRequest;
import mxaccess_gateway.v1.MxaccessGateway.MxCommand;
import mxaccess_gateway.v1.MxaccessGateway.MxCommandKind;
import mxaccess_gateway.v1.MxaccessGateway.MxCommandReply;
import mxaccess_gateway.v1.MxaccessGateway.MxCommandRequest;
import mxaccess_gateway.v1.MxaccessGateway.OpenSessionReply;
import mxaccess_gateway.v1.MxaccessGateway.OpenSessionRequest;
import mxaccess_gateway.v1.MxaccessGateway.ProtocolStatus;
import mxaccess_gateway.v1.MxaccessGateway.ProtocolStatusCode;
import mxaccess_gateway.v1.MxaccessGateway.ReadBulkCommand;
import mxaccess_gateway.v1.MxaccessGateway.RegisterCommand;
import mxaccess_gateway.v1.MxaccessGateway.SubscribeBulkCommand;
import mxaccess_gateway.v1.MxaccessGateway.UnsubscribeBulkCommand;

/**
 * An open session of a gateway, with tags to read. A refused command throws IllegalStateException.
 */
final class Session implements AutoCloseable {
    private static final String NAME = "read-bulk java";

    /** Limits one call, in seconds; it is far above the gateway's rare stalls. */
    private static final long CALL_TIMEOUT = 10;

    /** How long, in milliseconds, the worker may wait for a tag without a value. */
    private static final int WAIT = 1000;

    private static final MethodDescriptor<OpenSessionRequest, OpenSessionReply> OPEN_SESSION =
            method("OpenSession", OpenSessionRequest.getDefaultInstance(), OpenSessionReply.getDefaultInstance());
    private static final MethodDescriptor<CloseSessionRequest, CloseSessionReply> CLOSE_SESSION =
            method("CloseSession", CloseSessionRequest.getDefaultInstance(), CloseSessionReply.getDefaultInstance());
    private static final MethodDescriptor<MxCommandRequest, MxCommandReply> INVOKE =
            method("Invoke", MxCommandRequest.getDefaultInstance(), MxCommandReply.getDefaultInstance());

    private final ManagedChannel channel;
    private final Channel gateway; // the channel, with the key in the metadata of every call
    private final List<String> tags;
    private final List<Integer> items = new ArrayList<>();
    private final String id;
    private int server;

    /** Connects and opens a session. */
    Session(Settings settings) {
        tags = settings.tags();
        ManagedChannelBuilder<?> builder = Grpc.newChannelBuilder(settings.address(), settings.credentials());
        if (!settings.serverName().isEmpty()) {
            builder.overrideAuthority(settings.serverName());
        }
        channel = builder.build();
        Metadata metadata = new Metadata();
        metadata.put(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + settings.key());
        gateway = ClientInterceptors.intercept(channel, MetadataUtils.newAttachHeadersInterceptor(metadata));

        OpenSessionReply reply = call(OPEN_SESSION, OpenSessionRequest.newBuilder().setClientSessionName(NAME).build());
        check(reply.getProtocolStatus(), 0);
        id = reply.getSessionId();
        System.err.println("backend: " + reply.getBackendName());
    }

    /** Registers a client and subscribes to the tags, so that the worker caches their values. */
    void subscribe() {
        RegisterCommand register = RegisterCommand.newBuilder().setClientName(NAME).build();
        server = invoke(MxCommand.newBuilder().setKind(MxCommandKind.MX_COMMAND_KIND_REGISTER).setRegister(register))
                .getRegister().getServerHandle();
        SubscribeBulkCommand subscribe = SubscribeBulkCommand.newBuilder().setServerHandle(server).addAllTagAddresses(tags).build();
        MxCommandReply reply =
                invoke(MxCommand.newBuilder().setKind(MxCommandKind.MX_COMMAND_KIND_SUBSCRIBE_BULK).setSubscribeBulk(subscribe));
        for (BulkSubscribeResult item : reply.getBulkSubscribe().getResultsList()) {
            if (item.getWasSuccessful()) {
                items.add(item.getItemHandle());
            }
        }
    }

    /** Makes one call. Returns a result for each tag, or throws. */
    List<BulkReadResult> readBulk() {
        ReadBulkCommand read = ReadBulkCommand.newBuilder().setServerHandle(server).addAllTagAddresses(tags).setTimeoutMs(WAIT).build();
        List<BulkReadResult> results = invoke(MxCommand.newBuilder().setKind(MxCommandKind.MX_COMMAND_KIND_READ_BULK).setReadBulk(read))
                .getBulkRead().getResultsList();
        if (results.size() != tags.size()) {
            throw new IllegalStateException(results.size() + " results for " + tags.size() + " tags");
        }
        return results;
    }

    /** Unsubscribes, closes the session if the gateway answers, and closes the connection. */
    @Override
    public void close() {
        try {
            UnsubscribeBulkCommand unsubscribe =
                    UnsubscribeBulkCommand.newBuilder().setServerHandle(server).addAllItemHandles(items).build();
            invoke(MxCommand.newBuilder().setKind(MxCommandKind.MX_COMMAND_KIND_UNSUBSCRIBE_BULK).setUnsubscribeBulk(unsubscribe));
            call(CLOSE_SESSION, CloseSessionRequest.newBuilder().setSessionId(id).build());
        } catch (StatusRuntimeException | IllegalStateException e) {
            System.err.println(NAME + ": closing: " + e.getMessage());
        } finally {
            channel.shutdownNow();
        }
    }

    private MxCommandReply invoke(MxCommand.Builder command) {
        MxCommandReply reply = call(INVOKE, MxCommandRequest.newBuilder().setSessionId(id).setCommand(command).build());
        check(reply.getProtocolStatus(), reply.getHresult());
        return reply;
    }

    private <Q, A> A call(MethodDescriptor<Q, A> method, Q request) {
        return ClientCalls.blockingUnaryCall(gateway, method, CallOptions.DEFAULT.withDeadlineAfter(CALL_TIMEOUT, TimeUnit.SECONDS), request);
    }

    /**
     * Describes a method of the service: for three of them, simpler than grpc-java's generator in
     * the build.
     */
    private static <Q extends Message, A extends Message> MethodDescriptor<Q, A> method(String name, Q request, A reply) {
        return MethodDescriptor.<Q, A>newBuilder()
                .setType(MethodDescriptor.MethodType.UNARY)
                .setFullMethodName(MethodDescriptor.generateFullMethodName("mxaccess_gateway.v1.MxAccessGateway", name))
                .setRequestMarshaller(ProtoUtils.marshaller(request))
                .setResponseMarshaller(ProtoUtils.marshaller(reply))
                .build();
    }

    /** Throws the error in the reply to a successful call. */
    private static void check(ProtocolStatus status, int hresult) {
        if (status.getCode() != ProtocolStatusCode.PROTOCOL_STATUS_CODE_OK) {
            throw new IllegalStateException(status.getCode() + ": " + status.getMessage());
        }
        if (hresult < 0) {
            throw new IllegalStateException(String.format("hresult %#010x", hresult));
        }
    }
}
