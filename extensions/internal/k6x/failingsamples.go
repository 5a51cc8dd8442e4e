package k6x

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"
	codepb "google.golang.org/genproto/googleapis/rpc/code"
)

// Failure returns an error for the first sample of k6's own protocols that means that an operation
// failed, or nil: a missing response, an error response, or, with checks, a failed check.
func Failure(state *lib.State, container metrics.SampleContainer, checks bool) error {
	if one, is := container.(metrics.Sample); is { // avoids the allocation of GetSamples
		return failure(state, &one, checks)
	}
	samples := container.GetSamples()
	for i := range samples {
		if err := failure(state, &samples[i], checks); err != nil {
			return err
		}
	}

	return noAnswer(state, samples)
}

// noAnswer returns an error for a request without an answer, even if setResponseCallback(null)
// suppresses http_req_failed.
func noAnswer(state *lib.State, samples []metrics.Sample) error {
	builtin := state.BuiltinMetrics
	of := func(metric *metrics.Metric) int {
		return slices.IndexFunc(samples, func(s metrics.Sample) bool { return metric != nil && s.Metric == metric })
	}
	if builtin == nil {
		return nil
	}
	request := of(builtin.HTTPReqs)
	if request < 0 || of(builtin.HTTPReqFailed) >= 0 || tag(&samples[request], metrics.TagStatus) != "0" {
		return nil
	}

	return httpFailure(&samples[request], "0")
}

func failure(state *lib.State, s *metrics.Sample, checks bool) error {
	builtin := state.BuiltinMetrics
	if builtin == nil || s.Metric == nil {
		return nil
	}
	switch s.Metric {
	case builtin.Checks:
		if checks && s.Value == 0 {
			return checkFailure(s)
		}
	case builtin.HTTPReqFailed:
		if s.Value != 0 {
			return httpFailure(s, tag(s, metrics.TagStatus))
		}
	case builtin.GRPCReqDuration:
		if status := tag(s, metrics.TagStatus); status != "0" {
			return grpcFailure(s, status)
		}
	case builtin.WSSessions:
		if status := tag(s, metrics.TagStatus); status != strconv.Itoa(http.StatusSwitchingProtocols) {
			return webSocketFailure(s, status)
		}
	}

	return nil
}

func checkFailure(s *metrics.Sample) error {
	if name := tag(s, metrics.TagCheck); name != "" {
		return errors.New("check failed: " + name)
	}

	return errors.New("a check failed")
}

func httpFailure(s *metrics.Sample, status string) error {
	what := strings.TrimSpace("http: " + tag(s, metrics.TagMethod) + " " + address(tag(s, metrics.TagURL)))
	switch why := tag(s, metrics.TagError); {
	case status != "" && status != "0":
		return errors.New(what + " answered " + httpStatus(status))
	case why != "":
		return errors.New(what + ": " + why)
	default:
		return errors.New(what + " failed")
	}
}

func webSocketFailure(s *metrics.Sample, status string) error {
	what := "websocket: " + address(tag(s, metrics.TagURL))
	if status == "" {
		return errors.New(what + " did not answer")
	}

	return errors.New(what + " answered " + httpStatus(status))
}

func httpStatus(status string) string {
	n, err := strconv.Atoi(status)
	if err != nil {
		return status
	}

	return strings.TrimSpace(status + " " + http.StatusText(n))
}

func grpcFailure(s *metrics.Sample, status string) error {
	method := tag(s, metrics.TagName)
	if method == "" {
		method = tag(s, metrics.TagURL)
	}
	name := "status " + status
	if n, err := strconv.ParseInt(status, 10, 32); err == nil && codepb.Code_name[int32(n)] != "" {
		name = codepb.Code_name[int32(n)]
	}

	return fmt.Errorf("grpc: %s answered %s", strings.TrimPrefix(method, "/"), name)
}

// address removes the user, query and fragment from a URL, which may be secret.
func address(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		before, _, _ := strings.Cut(text, "?")
		if at := strings.LastIndexByte(before, '@'); at >= 0 {
			before = before[at+1:]
		}

		return before
	}
	if u.User == nil && u.RawQuery == "" && u.Fragment == "" {
		return text
	}
	u.User, u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment = nil, "", false, "", ""

	return u.String()
}

func tag(s *metrics.Sample, name metrics.SystemTag) string {
	if s.Tags == nil {
		return ""
	}
	value, _ := s.Tags.Get(name.String())

	return value
}
