//! Names and strings, unescaped.

use super::Lexer;

impl Lexer<'_> {
    pub(super) fn name(&mut self) -> Vec<u8> {
        self.skip(1);
        let raw = self.regular();
        let mut name = Vec::with_capacity(raw.len());
        let mut bytes = raw.iter().copied();
        while let Some(byte) = bytes.next() {
            let mut ahead = bytes.clone();
            let pair = (byte == b'#').then(|| Some(hex(ahead.next()?)? * 16 + hex(ahead.next()?)?)).flatten();
            match pair {
                Some(pair) => {
                    name.push(pair);
                    bytes = ahead;
                }
                None => name.push(byte),
            }
        }
        name
    }

    pub(super) fn literal(&mut self) -> Vec<u8> {
        self.skip(1);
        let (mut text, mut open, before) = (Vec::new(), 1_usize, self.at);
        while let Some(byte) = self.next() {
            match byte {
                b'(' => open += 1,
                b')' => {
                    open -= 1;
                    if open == 0 {
                        break;
                    }
                }
                b'\\' => {
                    self.escape(&mut text);
                    continue;
                }
                _ => {}
            }
            text.push(byte);
        }
        self.looked_through(before, open == 0);
        text
    }

    fn escape(&mut self, text: &mut Vec<u8>) {
        let Some(byte) = self.next() else { return };
        match byte {
            b'n' => text.push(b'\n'),
            b'r' => text.push(b'\r'),
            b't' => text.push(b'\t'),
            b'b' => text.push(8),
            b'f' => text.push(12),
            b'\r' => self.skip(usize::from(self.peek() == Some(b'\n'))),
            b'\n' => {}
            b'0'..=b'7' => {
                let mut code = u32::from(byte - b'0');
                for _ in 0..2 {
                    let Some(digit) = self.peek().filter(|digit| (b'0'..=b'7').contains(digit)) else { break };
                    code = code * 8 + u32::from(digit - b'0');
                    self.at += 1;
                }
                text.push(u8::try_from(code & 0xff).unwrap_or_default());
            }
            other => text.push(other),
        }
    }

    pub(super) fn hexadecimal(&mut self) -> Vec<u8> {
        self.skip(1);
        let (mut text, mut half, mut open, before) = (Vec::new(), None::<u8>, true, self.at);
        while let Some(byte) = self.next() {
            if byte == b'>' {
                open = false;
                break;
            }
            match (hex(byte), half.take()) {
                (Some(digit), None) => half = Some(digit),
                (Some(digit), Some(high)) => text.push(high * 16 + digit),
                (None, before) => half = before,
            }
        }
        text.extend(half.map(|high| high * 16));
        self.looked_through(before, !open);
        text
    }
}

fn hex(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}
