// What operations cost at the least in C: the same bytes out and as many in as k6's, nothing
// decoded, with an event loop for each of two threads. It prints what the Go programs print.
//
//   epoll PLAN CLIENTS OPERATIONS WARMUP_MS
//
// floor -epoll starts it: the connections are open, and PLAN is the number of an open file that
// says of each its number, where in the request the digits of a key are (0: nowhere), how long the
// answer is, how often that is done again for an operation, and how long the request is; then comes
// the request. A client's next request goes out when all bytes of the answer are there, in the order
// in which epoll tells of them. The exit code is 1 when anything fails.
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { KEYS = 10000, DIGITS = 12, MOST_ANSWER = 65536, THREADS = 2, OCTAVES = 40, STEPS = 128 };

static int operations;
static int64_t warmup;
static pthread_barrier_t line;

typedef struct {
  int socket, left, missing, digits, answer, again, rest, size;
  char *request;
  int64_t sent, ended;
  uint64_t random;
} client;

typedef struct {
  int epoll, count;
  client *clients;
  uint64_t counts[OCTAVES * STEPS];
} loop;

static void fail(const char *what) {
  fprintf(stderr, "epoll: %s: %s\n", what, strerror(errno));
  exit(1);
}

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

// A duration's counter: 128 for each power of two.
static int place(int64_t d) {
  if (d < STEPS) return d < 0 ? 0 : (int)d;
  int e = 63 - __builtin_clzll((uint64_t)d) - 7;
  int i = (e + 1) * STEPS + (int)((d >> e) - STEPS);
  return i < OCTAVES * STEPS ? i : OCTAVES * STEPS - 1;
}

static double highest_ms(int i) {
  if (i < STEPS) return i / 1e6;
  int e = i / STEPS - 1;
  return (double)(((int64_t)(i % STEPS + STEPS + 1) << e) - 1) / 1e6;
}

static void ask(client *c) {
  if (c->digits) {
    c->random = c->random * 6364136223846793005u + 1442695040888963407u;
    int key = (int)((c->random >> 33) % KEYS);
    for (int i = DIGITS - 1; i >= 0; i--, key /= 10) c->request[c->digits + i] = (char)('0' + key % 10);
  }
  c->missing = c->answer;
  if (write(c->socket, c->request, (size_t)c->size) != c->size) fail("write");
}

static void begin(client *c) {
  c->rest = c->again;
  c->sent = now();
  ask(c);
}

// Reads what has come. It is true when the answer is whole.
static int heard(client *c) {
  static _Thread_local char answer[MOST_ANSWER];
  ssize_t n = read(c->socket, answer, sizeof answer);
  if (n < 0 && errno == EAGAIN) return 0;
  if (n <= 0) fail("read");
  if ((c->missing -= (int)n) < 0) fail("an answer is too long");
  return c->missing == 0;
}

// Lets each client do so many operations, or work until a time.
static void work(loop *l, int count, int64_t until) {
  struct epoll_event events[512];
  int busy = l->count;
  for (int i = 0; i < l->count; i++) {
    l->clients[i].left = count;
    begin(&l->clients[i]);
  }
  while (busy > 0) {
    int n = epoll_wait(l->epoll, events, 512, 10000);
    if (n == 0) errno = ETIMEDOUT;
    if (n <= 0) fail("no answer");
    for (int i = 0; i < n; i++) {
      client *c = events[i].data.ptr;
      if (!heard(c)) continue;
      if (c->rest-- > 0) {
        ask(c);
        continue;
      }
      c->ended = now();
      if (!until) l->counts[place(c->ended - c->sent)]++;
      if (until ? c->ended >= until : --c->left == 0) {
        busy--;
        continue;
      }
      begin(c);
    }
  }
}

static void *run(void *of) {
  loop *l = of;
  if (warmup > 0) work(l, 0, now() + warmup);
  pthread_barrier_wait(&line); // all are warm
  pthread_barrier_wait(&line); // the clocks are read
  work(l, operations, 0);
  pthread_barrier_wait(&line);
  return NULL;
}

static double spent(void) {
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  return u.ru_utime.tv_sec + u.ru_stime.tv_sec + (u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static double percentile(const uint64_t *counts, double part, uint64_t all) {
  uint64_t seen = 0;
  for (int i = 0; i < OCTAVES * STEPS; i++)
    if ((seen += counts[i]) >= part * all) return highest_ms(i);
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 5) {
    fprintf(stderr, "epoll PLAN CLIENTS OPERATIONS WARMUP_MS: floor -epoll starts it\n");
    return 2;
  }
  FILE *plan = fdopen(atoi(argv[1]), "r");
  if (!plan) fail("the plan");
  int clients = atoi(argv[2]), threads = clients < THREADS ? clients : THREADS;
  operations = atoi(argv[3]);
  warmup = (int64_t)atoi(argv[4]) * 1000000;
  if (clients < 1 || operations < 1) fail("nothing to do");

  loop *loops = calloc(threads, sizeof *loops);
  pthread_t ids[THREADS];
  pthread_barrier_init(&line, NULL, threads + 1);
  for (int t = 0; t < threads; t++) {
    loop *l = &loops[t];
    l->epoll = epoll_create1(0);
    l->count = clients / threads + (t < clients % threads);
    l->clients = calloc(l->count, sizeof *l->clients);
    for (int i = 0; i < l->count; i++) {
      client *c = &l->clients[i];
      c->random = (uint64_t)t << 32 | i;
      if (fscanf(plan, "%d %d %d %d %d", &c->socket, &c->digits, &c->answer, &c->again, &c->size) != 5 || fgetc(plan) != '\n') fail("the plan");
      c->request = malloc((size_t)c->size);
      if (fread(c->request, 1, (size_t)c->size, plan) != (size_t)c->size) fail("the plan");
      struct epoll_event e = {.events = EPOLLIN, .data.ptr = c};
      if (epoll_ctl(l->epoll, EPOLL_CTL_ADD, c->socket, &e)) fail("epoll_ctl");
    }
    pthread_create(&ids[t], NULL, run, l);
  }
  pthread_barrier_wait(&line);
  double before = spent();
  int64_t began = now();
  pthread_barrier_wait(&line);
  pthread_barrier_wait(&line);
  int64_t ended = now();
  double cpu = spent() - before;

  uint64_t counts[OCTAVES * STEPS] = {0}, all = (uint64_t)clients * operations;
  int64_t shortest = INT64_MAX, longest = 0;
  for (int t = 0; t < threads; t++) {
    for (int i = 0; i < OCTAVES * STEPS; i++) counts[i] += loops[t].counts[i];
    for (int i = 0; i < loops[t].count; i++) {
      int64_t took = loops[t].clients[i].ended - began;
      if (took < shortest) shortest = took;
      if (took > longest) longest = took;
    }
  }
  double seconds = (ended - began) / 1e9;
  printf("{\"clients\":%d,\"ops\":%llu,\"failed\":0,\"seconds\":%.6f,\"opsPerSecond\":%.3f,\"p50Ms\":%.6f,\"p99Ms\":%.6f,"
         "\"cpuMicrosPerOp\":%.6f,\"allocsPerOp\":0,\"rows\":%llu,\"clientSpread\":%.4f}\n",
         clients, (unsigned long long)all, seconds, all / seconds, percentile(counts, 0.5, all), percentile(counts, 0.99, all),
         cpu * 1e6 / all, (unsigned long long)all, (double)shortest / longest);
  return 0;
}
