//! The ReadBulk benchmark of a gateway's client in Rust, over tonic. Its settings come from the
//! environment. Its last line is the common JSON object (scripts/read-bulk/result.go) for
//! scripts/read-bulk.sh.

mod session;
mod settings;
mod window;

use std::error::Error;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tonic::{Code, Status};

use session::Session;
use settings::Settings;
use window::Window;

/// Follows a call that did not reach the gateway, to avoid a busy loop. No latency includes it.
const PAUSE: Duration = Duration::from_millis(100);

type Result<T> = std::result::Result<T, Box<dyn Error>>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match bench().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("read-bulk rust: {}", with_causes(error.as_ref()));
            ExitCode::FAILURE
        }
    }
}

/// Runs the complete flow. An interrupt ends only the loops, so that the results are printed.
async fn bench() -> Result<()> {
    let settings = Settings::from_environment()?;
    let interrupted = interrupts()?;
    let mut session = Session::open(&settings).await?;
    session.subscribe().await?;
    read(&mut session, settings.warmup, &interrupted).await;
    let window = read(&mut session, settings.duration, &interrupted).await;
    println!("{}", window.summary());
    session.close().await;

    Ok(())
}

/// Calls ReadBulk repeatedly for the duration, or until an interrupt.
async fn read(session: &mut Session, duration: Duration, interrupted: &watch::Receiver<bool>) -> Window {
    let mut window = Window::default();
    let begun = Instant::now();
    let mut now = begun;
    while now - begun < duration && !*interrupted.borrow() {
        let results = session.read_bulk().await;
        window.add(now.elapsed(), &results);
        if results.is_err_and(|error| is_unavailable(error.as_ref())) {
            tokio::time::sleep(PAUSE).await;
        }
        now = Instant::now();
    }
    window.elapsed = now - begun;

    window
}

fn is_unavailable(error: &(dyn Error + 'static)) -> bool {
    error.downcast_ref::<Status>().is_some_and(|status| status.code() == Code::Unavailable)
}

/// Becomes true on the first SIGINT or SIGTERM.
fn interrupts() -> Result<watch::Receiver<bool>> {
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let (tell, interrupted) = watch::channel(false);
    tokio::spawn(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        tell.send_replace(true);
    });

    Ok(interrupted)
}

/// Returns an error and its causes in one line: tonic has the details in the causes.
fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(below) = cause {
        text += &format!(": {below}");
        cause = below.source();
    }

    text
}
