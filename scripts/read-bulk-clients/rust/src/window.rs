//! The result of consecutive calls.

use std::time::Duration;

use serde_json::{Value, json};

use crate::Result;
use crate::session::gateway::BulkReadResult;

#[derive(Default)]
pub struct Window {
    pub elapsed: Duration,
    latencies: Vec<Duration>, // of all calls, including failed ones
    failed: usize,
    results: usize,
    cached: usize,
}

impl Window {
    pub fn add(&mut self, took: Duration, results: &Result<Vec<BulkReadResult>>) {
        self.latencies.push(took);
        let Ok(results) = results else {
            self.failed += 1;
            return;
        };
        self.results += results.len();
        self.cached += results.iter().filter(|result| result.was_successful && result.was_cached).count();
    }

    /// Returns the common JSON object.
    pub fn summary(mut self) -> Value {
        self.latencies.sort_unstable();
        let calls = self.latencies.len();
        // The smallest latency that is not exceeded by a share of all calls; 0 without calls.
        let rank = |share: f64| {
            let position = (share * calls as f64).ceil() as usize;
            self.latencies.get(position.wrapping_sub(1)).map_or(0.0, milliseconds)
        };
        let sum: Duration = self.latencies.iter().sum();

        json!({
            "language": "rust",
            "durationMs": milliseconds(&self.elapsed),
            "totalCalls": calls,
            "successfulCalls": calls - self.failed,
            "failedCalls": self.failed,
            "totalReadResults": self.results,
            "cachedReadResults": self.cached,
            "callsPerSecond": if calls == 0 { 0.0 } else { calls as f64 / self.elapsed.as_secs_f64() },
            "latencyMs": {
                "p50": rank(0.50), "p95": rank(0.95), "p99": rank(0.99), "max": rank(1.0),
                "mean": milliseconds(&sum) / calls.max(1) as f64,
            },
        })
    }
}

fn milliseconds(duration: &Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}
