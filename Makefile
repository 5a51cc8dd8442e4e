# Everything is built from this checkout; `make help` lists the targets.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# k6 uses only extensions of the binary, and sends no usage report.
export K6_AUTO_EXTENSION_RESOLUTION := false
export K6_NO_USAGE_REPORT := true
# By default a program with the race detector sleeps for a second before it exits. The tests start a
# thousand of them.
export GORACE := atexit_sleep_ms=0
# Makes the build cache usable by all clones.
export GOFLAGS := -trimpath

K6_VERSION := $(shell sed -n 's/^[[:space:]]*go\.k6\.io\/k6\/v2 //p' extensions/cmd/k6/go.mod)
REDIS_VERSION := $(shell sed -n 's/^[[:space:]]*github\.com\/grafana\/xk6-redis //p' extensions/cmd/k6/go.mod)
GO_SOURCES := go.mod go.sum register.go $(shell find extensions -name '*.go' -o -name go.mod -o -name go.sum)
MODULES := . extensions/cmd/k6 extensions/machbase/drivers extensions/sql scripts
# Modules that go mod tidy cannot check here: compat is only a replacement, and the module proxy
# refuses an import of machbase-neo's tests.
UNTIDY := extensions/compat scripts/tools/machbase-neo
with := scripts/servers.sh with
# The tests drop tables, so they use only servers that they started, even if addresses are set.
own := env $(patsubst %,-u %,INFLUXDB_URL MACHBASE_URL MEMCACHED_URL MXGW_URL MXGW_CONTROL MXGW_FLAGS \
  MXGW_KEY MXGW_KEY_WITHOUT_READ NATS_URL POGOCACHE_URL POSTGRES_URL PROMETHEUS_URL REDIS_URL UMEM_URL) scripts/servers.sh with
# Packages that decode server replies: tested without the race detector, as in releases.
wires := ./machbase/cmi ./nats/kvlayout $(patsubst extensions/%,./%/...,$(wildcard extensions/*/wire))
# Packages that start no goroutine, which a test of internal/crash checks: the race detector would
# only make them ten times slower.
sequential := machbase/generate sweep/command sweep/gate sweep/history \
  sweep/report sweep/report/page sweep/stats
# The version for k6 version: the tag, or the commits since the last one.
version = $(shell git describe --tags --match 'v[0-9]*' --dirty 2>/dev/null)
shown = -X github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x.version=$(version)
# Packages with code for systems other than Linux, which the tag portable selects.
portable := $(sort $(dir $(shell find extensions -name '*_other.go' -printf './%p\n')))
# npm writes this file last.
installed := scripts/tools/types/node_modules/.package-lock.json
# The declarations, installed from their package.
declared := scripts/tools/types/node_modules/xk6-sweep-types
# Settings of scenarios, such as make stock-rollup CLIENTS=1,8. Exported as SWEEP_CLIENTS and so on,
# because other programs use names such as CLIENTS.
$(foreach name,$(filter-out MAKE% $(addsuffix %,MACHBASE_ MEMCACHED_ MXGW_ NATS_ POGOCACHE_ REDIS_ UMEM_),$(.VARIABLES)),\
  $(if $(filter command,$(origin $(name))),$(eval export SWEEP_$(name) := $$($(name)))))
# A duration gives each figure, for 1 client and for 512, thousands of operations within two to
# three minutes.
share := $(if $(SWEEP_ITERATIONS)$(SWEEP_DURATION),,-e DURATION=10s)
# Many short turns treat all drivers equally while the machine changes.
turns := $(if $(SWEEP_ITERATIONS)$(SWEEP_DURATION),,-e DURATION=2s) -e WARMUP=$(or $(SWEEP_WARMUP),1s) -e PAUSE=$(or $(SWEEP_PAUSE),200ms) \
  -e REPEATS=$(or $(SWEEP_REPEATS),4)
# The numbers of clients for make gate and its baseline.
few := 1,8,64
recorded := thresholds/baselines/stock-rollup.json
gated := $(if $(SWEEP_ITERATIONS)$(SWEEP_DURATION),,-e DURATION=5s) -e CLIENTS=$(or $(SWEEP_CLIENTS),$(few)) -e REPEATS=5

# The settings of each run of make gate-change.
pair := -e CLIENTS=$(or $(SWEEP_CLIENTS),$(few)) -e DURATION=$(or $(SWEEP_DURATION),3s)

.PHONY: help
help: ## list the targets
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1\t/p' Makefile | awk -F'\t' '{printf "  make %-15s %s\n", $$1, $$2}'

.PHONY: build
build: bin/k6 ## build bin/k6: k6 with all extensions, pinned by go.sum

bin/k6: $(GO_SOURCES)
	go build -C extensions/cmd/k6 -ldflags '-s -w $(shown)' -o $(CURDIR)/bin/k6 .

# The same with the race detector, for the tests.
bin/k6-race: $(GO_SOURCES)
	go build -C extensions/cmd/k6 -race -ldflags '-s -w' -o $(CURDIR)/bin/k6-race .

.PHONY: xk6
xk6: bin/k6-xk6 ## build bin/k6-xk6: the same extensions through xk6

bin/k6-xk6: $(GO_SOURCES) bin/xk6
	bin/xk6 build $(K6_VERSION) --output bin/k6-xk6 \
	  --with github.com/xk6-sweep/xk6-sweep=. \
	  --with github.com/xk6-sweep/xk6-sweep/extensions/sql=./extensions/sql \
	  --with github.com/grafana/xk6-redis@$(REDIS_VERSION) \
	  --replace go.k6.io/k6=./extensions/compat

bin/xk6: scripts/tools/go.mod
	go build -C scripts/tools -o $(CURDIR)/bin/xk6 go.k6.io/xk6

.PHONY: build-drivers
build-drivers: bin/k6-drivers ## build bin/k6-drivers: k6 with Machbase's clients machgo and machcli (C, 113 MB, another licence)

bin/k6-drivers: $(GO_SOURCES)
	CGO_ENABLED=1 go build -C extensions/machbase/drivers -ldflags '-s -w $(shown)' -o $(CURDIR)/bin/k6-drivers .

.PHONY: dist
dist: ## build dist/: k6 for Linux, macOS and Windows, amd64 and arm64, with checksums and bills of materials
	scripts/dist.sh

bin/cyclonedx-gomod: scripts/tools/go.mod
	go build -C scripts/tools -buildvcs=false -o $(CURDIR)/bin/cyclonedx-gomod \
	  github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod

.PHONY: stock-drivers
stock-drivers: bin/k6-drivers ## the published comparison of clients: the roll-up sweep with machcli, machgo and native, alternating
	$(with) machbase -- bash -c 'env -u SWEEP_DRIVERS bin/k6-drivers run scenarios/stock-load.js && exec bin/k6-drivers run $(turns) scenarios/stock-drivers.js'

.PHONY: stock-rollup
stock-rollup: bin/k6 ## the main benchmark: start a real Machbase, load it, sweep its roll-up query, print the table
	$(with) machbase -- bash -c 'bin/k6 run scenarios/stock-load.js && exec bin/k6 run $(share) scenarios/stock-rollup.js'

.PHONY: gate
gate: bin/k6 ## for CI: sweep, and compare with the runs of make baseline; fails if a gate is crossed or undecided
	@test -f $(recorded) || { echo 'make gate: this machine has no recorded runs: make baseline records them in $(recorded)' >&2; exit 1; }
	$(with) machbase -- bash -c 'bin/k6 run --quiet scenarios/stock-load.js && \
	  exec bin/k6 run $(gated) -e GATES=../thresholds/recorded/stock-rollup.json scenarios/stock-rollup.js'

.PHONY: gate-change
gate-change: bin/k6 ## compare this checkout with another one, BASE=folder, in alternating runs; fails if it is worse
	$(MAKE) -C $(or $(BASE),$(error BASE is the folder of another checkout)) bin/k6
	$(with) machbase -- bash -c 'bin/k6 run --quiet scenarios/stock-load.js && \
	  exec bin/k6 x sweep ab --pairs $(or $(PAIRS),8) --gate opsPerSecond=-5% --gate p99=+20% -- \
	    $(BASE)/bin/k6 run --quiet $(pair) $(BASE)/scenarios/stock-rollup.js --- bin/k6 run --quiet $(pair) scenarios/stock-rollup.js'

.PHONY: baseline
baseline: bin/k6 ## record the runs for make gate, RUNS=5, each with a new server; ADD=1 keeps the earlier ones
	for run in $$(seq $(or $(RUNS),5)); do \
	  $(with) machbase -- bash -c 'bin/k6 run --quiet scenarios/stock-load.js && bin/k6 run $(gated) scenarios/stock-rollup.js' && \
	  bin/k6 x sweep record $$([ $$run = 1 ] && echo $(if $(ADD),,--force)) results/stock-rollup.json || exit 1; done

# Packages whose tests do not import k6: they link fast.
pure = go list -test -f '{{.ImportPath}} {{join .Deps " "}}' ./... | sed -n '/ go\.k6\.io\/k6\/v2/d; s/\.test .*//p'

.PHONY: check
check: ## after an edit, in less than a minute: vet, and cached tests of packages that do not import k6
	printf '%s\n' . extensions/sql extensions/cmd/k6 scripts | xargs -P 2 -I{} go vet -C {} -tags servers ./...
	rooms=$$($(pure)) && go test -vet=off $$rooms

# The stages of make test, three at a time. Each has servers of its own, and runs alone as make
# test-e2e and so on.
STAGES := e2e unit servers sequential chaos deployment wires portable drivers programs read-bulk lint-extension dist types
# Stages that measure time run alone.
ALONE := e2e-alone

.PHONY: test
test: bin/stages ## all tests, against real servers and with the race detector (make test STAGE="unit e2e": only these stages)
	$(MAKE) --no-print-directory -j2 bin/k6-race bin/k6-xk6 bin/chaos
	bin/stages run $(or $(STAGE),$(STAGES) -- $(ALONE))

bin/stages: $(wildcard scripts/test/stages/*.go) scripts/go.mod
	go build -C scripts -o $(CURDIR)/bin/stages ./test/stages

# go test as the stages call it: FLAG... -- PACKAGE...
gotest := $(CURDIR)/bin/stages go

stages := $(patsubst %,test-%,$(STAGES) $(ALONE))
.PHONY: $(stages)
# Each stage has its own servers, so stages do not share connections, keys or tables.
$(stages): export SERVERS_ROOM = $@
$(stages): bin/stages

test-servers:
	scripts/test/servers_test.sh
	scripts/test/processes_test.sh

test-unit:
	$(own) influxdb machbase memcached nats redis -- $(gotest) -race -timeout 60m -tags servers \
	  -- $$(go list -tags servers ./... | grep -vxF "$$(printf '%s\n' $(sequential:%=github.com/xk6-sweep/xk6-sweep/extensions/%))")
	$(gotest) -C extensions/sql -race -- ./...

test-sequential:
	$(gotest) -- $(sequential:%=./extensions/%)

# The race detector changes their system calls.
test-wires:
	$(own) machbase memcached nats -- $(gotest) -C extensions -tags servers -- ./internal/netutil $(wires)

test-portable:
	$(own) machbase -- $(gotest) -tags servers,portable -- $(portable)

test-drivers:
	$(own) machbase -- $(gotest) -C extensions/machbase/drivers -race -- ./...

test-programs:
	$(gotest) -C scripts -race -- $$(go list -C scripts ./... | grep -v /test/deployment)

test-read-bulk: bin/k6-race
	K6=$(CURDIR)/bin/k6-race $(own) mxgateway -- scripts/test/read_bulk_test.sh

# A test that does not begin with t.Parallel is of the other stage: extensions/cmd/k6/e2e/doc.go.
alone = $(shell cat extensions/cmd/k6/e2e/*_test.go | sed -n '/^func Test/{N;/t\.Parallel/!s/^func \(Test[A-Za-z0-9_]*\).*/\1/p}')
alone_pattern = '^($(subst $() ,|,$(alone)))$$'
e2e := MACHBASE_HTTP=true $(own) influxdb machbase memcached nats postgres prometheus redis -- $(gotest) -C extensions/cmd/k6 -timeout 60m

test-e2e: bin/k6-race bin/k6-xk6
	$(e2e) -parallel 6 -skip $(alone_pattern) -- ./...

test-e2e-alone: bin/k6-race bin/k6-xk6
	$(e2e) -parallel 4 -run $(alone_pattern) -- ./...

# Most of a cell's time is waiting.
faults := bin/chaos -test.timeout 30m -test.parallel $(shell echo $$((2 * $$(nproc))))

test-chaos: bin/k6-race bin/chaos
	$(own) influxdb machbase memcached mxgateway nats redis -- $(faults) -test.run TestChaos -test.short -k6 bin/k6-race

test-deployment:
	$(gotest) -C scripts -timeout 30m -- ./test/deployment

test-lint-extension: bin/xk6
	scripts/test/lint_extension.sh

test-dist:
	scripts/test/dist_test.sh

test-types:
	if command -v npm >/dev/null; then $(MAKE) types; fi

.PHONY: types
types: $(installed) ## type-check scenarios, examples and declarations (needs npm)
	rm -rf $(declared)
	VERSION=v0.0.0 scripts/types.sh $(declared)
	tar -C $(declared) --strip-components=1 -xzf $(declared)/xk6-sweep-types-0.0.0.tgz
	scripts/tools/types/node_modules/.bin/tsc -p scripts/tools/types
	scripts/tools/types/node_modules/.bin/tsc -p scripts/tools/types/strict

$(installed): scripts/tools/types/package-lock.json
	cd scripts/tools/types && npm ci
	touch $@

.PHONY: bench
bench: bin/k6 bin/k6-drivers bin/ghz bin/nats-cli bin/bench ## compare k6 with other programs; continues where it stopped (BENCH=memcached,redis FOR=50m); needs an otherwise idle machine
	MXGW_FLAGS=-shape=none MEMCACHED_CONNECTIONS=8192 taskset --cpu-list 0 $(with) machbase memcached mxgateway nats postgres redis -- bin/bench run \
	  $(and $(BENCH),-only $(BENCH)) $(and $(FOR),-for $(FOR)) $(BENCH_FLAGS)

.PHONY: bench-check
bench-check: bin/bench ## compare the last run of make bench with the one before it on the same machine
	bin/bench check

.PHONY: bin/bench
bin/bench:
	go build -C scripts -trimpath -o $(CURDIR)/bin/bench ./bench

bin/nats-cli: scripts/tools/go.mod
	go build -C scripts/tools -o $(CURDIR)/bin/nats-cli github.com/nats-io/natscli/nats

bin/ghz: scripts/tools/go.mod
	go build -C scripts/tools -o $(CURDIR)/bin/ghz github.com/bojand/ghz/cmd/ghz

.PHONY: front
front: stock-rollup ## run the main benchmark, and put its table and page on the front page
	scripts/bench/front.sh results/stock-rollup.json "make stock-rollup"

.PHONY: ycsb
ycsb: bin/k6 bin/bench ## run workloads of YCSB on all stores, and put the tables on their page
	$(own) redis memcached nats postgres machbase -- scripts/bench/ycsb.sh

.PHONY: soak
soak: bin/k6 ## stream to InfluxDB for ten minutes, and check for lost data and memory growth
	$(own) influxdb memcached -- scripts/soak.sh

.PHONY: chaos
chaos: bin/k6 bin/k6-clock bin/chaos ## break connections, servers, names, limits and k6 itself: each protocol and fault (CHAOS='nats/rst')
	$(own) influxdb machbase memcached mxgateway nats redis -- $(faults) -test.run 'TestChaos/$(CHAOS)' -test.v | grep -v '^==='

bin/chaos: $(GO_SOURCES) $(wildcard scripts/chaos/*.go scripts/go.*)
	go test -C scripts -c -tags servers -o $(CURDIR)/bin/chaos ./chaos

# k6 with an adjustable wall clock. The first build takes some minutes, because it compiles
# everything again.
bin/k6-clock: $(GO_SOURCES) scripts/chaos/clock.sh
	folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && scripts/chaos/clock.sh "$$folder" && \
	  go build -C extensions/cmd/k6 -overlay "$$folder/overlay.json" -ldflags '-s -w' -o $(CURDIR)/bin/k6-clock .

.PHONY: shipped
shipped: ## run the documented commands, images and manifests, and record the results (SHIPPED="cluster": only this part)
	scripts/shipped.sh $(SHIPPED)

.PHONY: lint
lint: bin/golangci-lint ## check the Go code, and the scripts when shellcheck is installed
	for m in $(filter-out $(UNTIDY),$(patsubst %/,%,$(dir $(shell git ls-files go.mod '*/go.mod')))); do go mod tidy -C $$m -diff; done
	if go mod download github.com/grafana/xk6-sql@v1.2.0 2>/dev/null; then \
	  echo 'xk6-sql v1.2.0, made for k6 v2, can be had now: take it, and remove extensions/compat' >&2; exit 1; fi
	scripts/test/vulnerabilities.sh . extensions/cmd/k6 extensions/sql
	for m in $(MODULES); do (cd $$m && $(CURDIR)/bin/golangci-lint run --config $(CURDIR)/.golangci.yml ./...); done
	for os in darwin windows; do GOOS=$$os go vet -tags servers ./...; done
	go run -C scripts/tools github.com/rhysd/actionlint/cmd/actionlint $(wildcard $(CURDIR)/.github/workflows/*.yml)
	if command -v shellcheck; then shellcheck -x -P SCRIPTDIR .ci/run $$(git ls-files "*.sh"); fi

bin/golangci-lint: scripts/tools/go.mod
	go build -C scripts/tools -o $(CURDIR)/bin/golangci-lint github.com/golangci/golangci-lint/v2/cmd/golangci-lint

.PHONY: clean
clean: ## stop the servers of this checkout, and remove what was built and measured here
	scripts/servers.sh down
	rm -rf bin dist results
