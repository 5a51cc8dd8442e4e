package emulator

import (
	"encoding/json"
	"io"
	"net/http"
)

const maxFault = 1000

// Control returns the handler of the control port:
//
//	GET    /          name and address
//	GET    /faults    current faults
//	POST   /faults    adds a fault, in the syntax of ParseFault
//	DELETE /faults    removes all faults
//	GET    /summary   the ReadBulk calls so far (Summary)
//	DELETE /summary   resets the summary
//
// It has no authentication: serve it on a loopback address.
func (e *Emulator) Control() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"backend": e.backend, "address": e.Address(), "sessions": e.openSessions()})
	})
	mux.HandleFunc("GET /faults", func(w http.ResponseWriter, _ *http.Request) { answer(w, e.faults.list()) })
	mux.HandleFunc("DELETE /faults", func(w http.ResponseWriter, _ *http.Request) {
		e.faults.clear()
		answer(w, e.faults.list())
	})
	mux.HandleFunc("POST /faults", func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxFault))
		if err != nil {
			http.Error(w, "the fault is too long, or did not come whole", http.StatusBadRequest)
			return
		}
		fault, err := ParseFault(string(text))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		e.faults.add(fault)
		answer(w, e.faults.list())
	})
	mux.HandleFunc("GET /summary", func(w http.ResponseWriter, _ *http.Request) { answer(w, e.Summary()) })
	mux.HandleFunc("DELETE /summary", func(w http.ResponseWriter, _ *http.Request) {
		e.recorder.reset()
		answer(w, e.Summary())
	})
	return mux
}

func answer(w http.ResponseWriter, what any) {
	w.Header().Set("Content-Type", "application/json")
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	_ = encoder.Encode(what)
}
