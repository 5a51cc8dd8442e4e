package wire

import (
	"errors"
	"fmt"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// ServiceName is the published name of the gateway's service, in any package.
const ServiceName = "MxAccessGateway"

// Schema holds the fields of a gateway's messages that a client writes and reads.
type Schema struct {
	open         openFields
	close        closeFields
	invoke       invokeFields
	register     registerFields
	subscribe    subscribeFields
	unsubscribe  unsubscribeFields
	read         readFields
	subscription itemFields
	result       resultFields
}

type openFields struct {
	method                             string
	name                               field
	session, backend, protocol, worker field
	status                             statusFields
}

type closeFields struct {
	method  string
	session field
	status  statusFields
}

type invokeFields struct {
	method                              string
	session, correlation, command, kind field
	status                              statusFields
	hresult                             field
}

type registerFields struct {
	command      command
	name         field
	reply        field
	serverHandle field
}

type subscribeFields struct {
	command            command
	serverHandle, tags field
}

type unsubscribeFields struct {
	command             command
	serverHandle, items field
}

type readFields struct {
	command                     command
	serverHandle, tags, timeout field
}

type itemFields struct {
	payload                               payload
	tag, handle, successful, errorMessage field
}

// The last two may have any type.
type resultFields struct {
	payload                                                payload
	tag, handle, successful, cached, quality, errorMessage field
	value, timestamp                                       protoreflect.FieldDescriptor
}

// Without a ProtocolStatus, every reply is a success.
type statusFields struct {
	at, code, message field
	ok                int64
}

type command struct {
	payload field
	kind    int64
}

type payload struct{ at, list field }

// NewSchema looks up the published names in a service's description. Its error names the first one
// that is missing, or has an unsuitable type.
func NewSchema(service protoreflect.ServiceDescriptor) (*Schema, error) {
	s := &Schema{}
	l := &lookup{}
	openRequest, openReply := l.method(service, "OpenSession", &s.open.method)
	invokeRequest, invokeReply := l.method(service, "Invoke", &s.invoke.method)
	closeRequest, closeReply := l.method(service, "CloseSession", &s.close.method)
	if l.err != nil {
		return nil, l.err
	}

	s.open.name = l.field(openRequest, "client_session_name", isText)
	s.open.session = l.field(openReply, "session_id", isText)
	s.open.backend = l.optional(openReply, "backend_name", isText)
	s.open.protocol = l.optional(openReply, "gateway_protocol_version", isNumber)
	s.open.worker = l.optional(openReply, "worker_protocol_version", isNumber)
	s.open.status = l.status(openReply)
	s.close.session = l.field(closeRequest, "session_id", isText)
	s.close.status = l.status(closeReply)
	s.commands(l, invokeRequest)
	s.replies(l, invokeReply)

	return s, l.err
}

func (s *Schema) commands(l *lookup, request protoreflect.MessageDescriptor) {
	s.invoke.session = l.field(request, "session_id", isText)
	s.invoke.correlation = l.optional(request, "correlation_id", isText)
	var commands, m protoreflect.MessageDescriptor
	s.invoke.command, commands = l.message(request, "command")
	s.invoke.kind = l.optional(commands, "kind", isEnum)

	s.register.command, m = l.command(commands, "register")
	s.register.name = l.field(m, "client_name", isText)
	s.subscribe.command, m = l.command(commands, "subscribe_bulk")
	s.subscribe.serverHandle = l.field(m, "server_handle", isNumber)
	s.subscribe.tags = l.field(m, "tag_addresses", isTexts)
	s.unsubscribe.command, m = l.command(commands, "unsubscribe_bulk")
	s.unsubscribe.serverHandle = l.field(m, "server_handle", isNumber)
	s.unsubscribe.items = l.field(m, "item_handles", isNumbers)
	s.read.command, m = l.command(commands, "read_bulk")
	s.read.serverHandle = l.field(m, "server_handle", isNumber)
	s.read.tags = l.field(m, "tag_addresses", isTexts)
	s.read.timeout = l.optional(m, "timeout_ms", isNumber)
}

func (s *Schema) replies(l *lookup, reply protoreflect.MessageDescriptor) {
	s.invoke.status = l.status(reply)
	s.invoke.hresult = l.optional(reply, "hresult", isNumber)

	var m protoreflect.MessageDescriptor
	s.register.reply, m = l.message(reply, "register")
	s.register.serverHandle = l.field(m, "server_handle", isNumber)
	s.subscription.payload, m = l.list(reply, "bulk_subscribe")
	s.subscription.tag = l.optional(m, "tag_address", isText)
	s.subscription.handle = l.field(m, "item_handle", isNumber)
	s.subscription.successful = l.optional(m, "was_successful", isBool)
	s.subscription.errorMessage = l.optional(m, "error_message", isText)
	s.result.payload, m = l.list(reply, "bulk_read")
	s.result.tag = l.field(m, "tag_address", isText)
	s.result.handle = l.field(m, "item_handle", isNumber)
	s.result.successful = l.field(m, "was_successful", isBool)
	s.result.cached = l.field(m, "was_cached", isBool)
	s.result.quality = l.optional(m, "quality", isNumber)
	s.result.errorMessage = l.optional(m, "error_message", isText)
	s.result.value = l.find(m, "value", isAny, false)
	s.result.timestamp = l.find(m, "source_timestamp", isAny, false)
}

// Service returns the service with this full name or, for "", the only one called ServiceName.
func Service(files []protoreflect.FileDescriptor, name string) (protoreflect.ServiceDescriptor, error) {
	var found, all []string
	var service protoreflect.ServiceDescriptor
	for _, file := range files {
		for i := range file.Services().Len() {
			one := file.Services().Get(i)
			all = append(all, string(one.FullName()))
			if string(one.FullName()) == name || name == "" && one.Name() == ServiceName {
				service = one
				found = append(found, string(one.FullName()))
			}
		}
	}
	wanted := name
	if wanted == "" {
		wanted = ServiceName
	}
	switch {
	case len(found) == 1:
		return service, nil
	case len(found) > 1:
		return nil, fmt.Errorf("there are several services %s: name one of %s", wanted, strings.Join(found, ", "))
	case len(all) == 0:
		return nil, errors.New("there is no service in it")
	default:
		return nil, fmt.Errorf("there is no service %s in it, but %s", wanted, strings.Join(all, ", "))
	}
}
