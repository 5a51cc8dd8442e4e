package wire

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// ServiceName is the published name of the gateway's service, in any package.
const ServiceName = "MxAccessGateway"

// Schema describes the messages of a gateway.
type Schema struct {
	open, close, invoke method
	kinds               map[protoreflect.Name]int64 // of the commands
	ok                  map[string]int64            // the protocol status of success, by the method's path
	items, results      protoreflect.FieldDescriptor
	counted             counted
}

type method struct {
	path    string
	in, out protoreflect.MessageDescriptor
}

// NewSchema looks up the published names in a service's description. Its error names the first one
// that is missing, or has an unsuitable type.
func NewSchema(service protoreflect.ServiceDescriptor) (*Schema, error) {
	l := &lookup{}
	s := &Schema{
		open: l.method(service, "OpenSession"), invoke: l.method(service, "Invoke"), close: l.method(service, "CloseSession"),
		kinds: map[protoreflect.Name]int64{}, ok: map[string]int64{},
	}
	if l.err != nil {
		return nil, l.err
	}
	l.need(s.open.in, isText, "client_session_name")
	l.need(s.open.out, isText, "session_id")
	l.allow(s.open.out, isText, "backend_name")
	l.allow(s.open.out, isNumber, "gateway_protocol_version", "worker_protocol_version")
	l.need(s.close.in, isText, "session_id")

	l.need(s.invoke.in, isText, "session_id")
	l.allow(s.invoke.in, isText, "correlation_id")
	s.commands(l, l.message(s.invoke.in, "command"))
	reply := s.invoke.out
	l.allow(reply, isNumber, "hresult")
	l.need(l.message(reply, "register"), isNumber, "server_handle")
	s.items, s.results = l.list(reply, "bulk_subscribe"), l.list(reply, "bulk_read")
	for _, m := range []method{s.open, s.close, s.invoke} {
		s.ok[m.path] = l.status(m.out)
	}
	if l.err != nil {
		return nil, l.err
	}
	item, result := s.items.Message(), s.results.Message()
	l.need(item, isNumber, "item_handle")
	l.allow(item, isText, "tag_address", "error_message")
	l.allow(item, isBool, "was_successful")
	l.need(result, isText, "tag_address")
	l.need(result, isNumber, "item_handle")
	l.need(result, isBool, "was_successful", "was_cached")
	l.allow(result, isNumber, "quality")
	l.allow(result, isText, "error_message")
	l.allow(result, isAny, "value", "source_timestamp")
	if l.err != nil {
		return nil, l.err
	}
	s.counted = counted{
		hresult: number(reply, "hresult"), payload: number(reply, "bulk_read"), list: s.results.Number(),
		successful: number(result, "was_successful"), cached: number(result, "was_cached"), ok: uint64(s.ok[s.invoke.path]),
	}
	if f := reply.Fields().ByName("protocol_status"); f != nil {
		s.counted.status, s.counted.code = f.Number(), number(f.Message(), "code")
	}

	return s, nil
}

func (s *Schema) commands(l *lookup, m protoreflect.MessageDescriptor) {
	l.need(l.command(m, "register", s.kinds), isText, "client_name")
	subscribe, unsubscribe := l.command(m, "subscribe_bulk", s.kinds), l.command(m, "unsubscribe_bulk", s.kinds)
	read := l.command(m, "read_bulk", s.kinds)
	l.need(subscribe, isNumber, "server_handle")
	l.need(subscribe, isTexts, "tag_addresses")
	l.need(unsubscribe, isNumber, "server_handle")
	l.need(unsubscribe, isNumbers, "item_handles")
	l.need(read, isNumber, "server_handle")
	l.need(read, isTexts, "tag_addresses")
	l.allow(read, isNumber, "timeout_ms")
}

func number(m protoreflect.MessageDescriptor, name protoreflect.Name) protoreflect.FieldNumber {
	if f := m.Fields().ByName(name); f != nil {
		return f.Number()
	}

	return 0
}

// choose returns the service with this full name or, for "", the only one called ServiceName.
func choose(all []string, name string) (string, error) {
	var found []string
	for _, one := range all {
		if one == name || name == "" && (one == ServiceName || strings.HasSuffix(one, "."+ServiceName)) {
			found = append(found, one)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return "", fmt.Errorf("there are several services %s: name one of %s", ServiceName, strings.Join(found, ", "))
	case len(all) == 0:
		return "", errors.New("there is no service in it")
	default:
		return "", fmt.Errorf("there is no service %s in it, but %s", cmp.Or(name, ServiceName), strings.Join(all, ", "))
	}
}
