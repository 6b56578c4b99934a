//! Reads server-sent events and lines of JSON from a body that arrives in pieces cut anywhere.
//!
//! Format: <https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation>

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SseEvent {
    /// The `event` field, `message` where there is none.
    pub event: String,
    /// The `data` lines, joined.
    pub data: String,
}

/// The longest line taken, and the longest data of an event; what is longer is cut off.
const LONGEST_LINE: usize = 4 << 20;

/// Cuts a byte stream into lines at LF, CR or CRLF. Bytes that are not UTF-8 become U+FFFD.
#[derive(Debug, Default)]
pub struct Lines {
    pending: Vec<u8>,
    after_cr: bool,
    started: bool,
}

impl Lines {
    /// The lines this piece completes.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<String> {
        let mut lines = Vec::new();
        for &byte in bytes {
            match byte {
                b'\n' if self.after_cr => self.after_cr = false,
                b'\n' | b'\r' => {
                    self.after_cr = byte == b'\r';
                    lines.push(self.take());
                }
                _ => {
                    self.after_cr = false;
                    if self.pending.len() < LONGEST_LINE {
                        self.pending.push(byte);
                    }
                }
            }
        }
        lines
    }

    /// Returns the text after the last line end, if any.
    pub fn finish(&mut self) -> Option<String> {
        (!self.pending.is_empty()).then(|| self.take())
    }

    fn take(&mut self) -> String {
        let line = String::from_utf8_lossy(&std::mem::take(&mut self.pending)).into_owned();
        if std::mem::replace(&mut self.started, true) {
            return line;
        }
        line.strip_prefix('\u{feff}').map_or(line.clone(), str::to_owned)
    }
}

/// Puts lines together to events.
#[derive(Debug, Default)]
pub struct SseReader {
    lines: Lines,
    event: String,
    data: Option<String>,
}

impl SseReader {
    /// The events this piece completes.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<SseEvent> {
        let lines = self.lines.feed(bytes);
        lines.into_iter().filter_map(|line| self.line(&line)).collect()
    }

    /// An event the stream ended in the middle of. The standard drops it; providers that forget the last blank line mean it.
    pub fn finish(&mut self) -> Option<SseEvent> {
        let last = self.lines.finish().and_then(|line| self.line(&line));
        last.or_else(|| self.line(""))
    }

    fn line(&mut self, line: &str) -> Option<SseEvent> {
        if line.is_empty() {
            let event = std::mem::take(&mut self.event);
            let event = if event.is_empty() { "message".to_owned() } else { event };
            return self.data.take().map(|data| SseEvent { event, data });
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut self.event),
            "data" => match &mut self.data {
                Some(data) if data.len() + value.len() >= LONGEST_LINE => {}
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            },
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(pieces: &[&[u8]]) -> Vec<SseEvent> {
        let mut reader = SseReader::default();
        let mut events: Vec<_> = pieces.iter().flat_map(|piece| reader.feed(piece)).collect();
        events.extend(reader.finish());
        events
    }

    #[test]
    fn data_that_never_ends_is_cut_off() {
        let line = format!("data: {}\n", "a".repeat(LONGEST_LINE / 4));
        let pieces: Vec<&[u8]> = std::iter::repeat_n(line.as_bytes(), 8).collect();
        let events = read(&pieces);
        assert!(events.len() == 1 && events[0].data.len() <= LONGEST_LINE, "{}", events[0].data.len());
    }

    fn event(event: &str, data: &str) -> SseEvent {
        SseEvent { event: event.to_owned(), data: data.to_owned() }
    }

    #[test]
    fn events_are_read_as_the_standard_says() {
        let stream = "\u{feff}: comment\nevent: add\ndata: 1\ndata:2\nid: 7\n\n\r\ndata\r\rdata:  x\r\n\r\nevent: lost\n\nretry: 5\ndata: last";
        assert_eq!(
            read(&[stream.as_bytes()]),
            [event("add", "1\n2"), event("message", ""), event("message", " x"), event("message", "last")]
        );
    }

    proptest! {
        #[test]
        fn where_the_stream_is_cut_makes_no_difference(
            texts in prop::collection::vec("[a-zä€😀:\" ]{0,12}", 1..6),
            ending in prop::sample::select(vec!["\n", "\r\n", "\r"]),
            cuts in prop::collection::vec(0_usize..200, 0..12),
        ) {
            let stream: String =
                texts.iter().map(|text| format!("event: e{ending}data: {text}{ending}{ending}")).collect();
            let bytes = stream.as_bytes();
            let mut cuts: Vec<_> = cuts.into_iter().filter(|cut| *cut < bytes.len()).chain([0, bytes.len()]).collect();
            cuts.sort_unstable();
            let pieces: Vec<_> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
            let expected: Vec<_> = texts.iter().map(|text| event("e", text)).collect();
            prop_assert_eq!(read(&pieces), expected);
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            read(&[&bytes]);
        }
    }
}
