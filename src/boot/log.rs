//! The log: lines on standard error, without the secrets that texts in them may carry.

use std::io::{self, IsTerminal, Write};

use tracing_subscriber::EnvFilter;

use satchel_config::{Config, LogFormat};
use satchel_model::{
    error::{Error, Result},
    secret_text::without_secrets,
};

/// Writes the log to standard error, as the configuration has it.
pub(super) fn to_stderr(config: &Config) -> Result<()> {
    let filter = EnvFilter::try_new(&config.log).map_err(|e| {
        Error::invalid(format!("'{}' is not a log filter: {e}. Try info, or satchel=debug.", config.log))
    })?;
    // At its most talkative it writes whole requests, credentials and all.
    let filter = filter.add_directive("tungstenite=info".parse().map_err(Error::internal)?);
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(io::stderr().is_terminal())
        .with_writer(|| Masked(io::stderr()));
    match config.log_format {
        LogFormat::Human => log.with_target(false).init(),
        LogFormat::Json => log.json().init(),
    }
    Ok(())
}

/// Masks the secrets in what is written; an event of the log comes in one piece.
struct Masked<W>(W);

impl<W: Write> Write for Masked<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write_all(without_secrets(&String::from_utf8_lossy(bytes)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_shows_no_secret_whatever_its_form() {
        let mut masked = Masked(Vec::new());
        for line in ["WARN no answer error=password=CANARY", r#"{"message":"sent {\"api_key\": \"CANARY\"}"}"#, "plain"]
        {
            writeln!(masked, "{line}").unwrap();
        }
        let written = String::from_utf8(masked.0).unwrap();
        assert!(!written.contains("CANARY") && written.ends_with("plain\n"), "{written}");
    }
}
