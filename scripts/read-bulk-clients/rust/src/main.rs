//! The ReadBulk benchmark of a gateway's client in Rust, over tonic. It takes its settings from the environment and prints the shared JSON
//! object as its last line, as scripts/read-bulk.sh wants it; the object is described in scripts/read-bulk/result.go.

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

/// What follows a call that found no gateway, so that the client does not spin; it belongs to no call.
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

/// The whole flow. An interrupt ends the loops, not the flow: what was measured is printed.
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

/// Calls ReadBulk over and over, for as long as it is told or until there is an interrupt.
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

/// Becomes true with the first SIGINT or SIGTERM.
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

/// An error and its causes in one line: tonic says in the causes what happened.
fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(below) = cause {
        text += &format!(": {below}");
        cause = below.source();
    }

    text
}
