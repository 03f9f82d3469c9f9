//! A buffered reader that gives valid UTF-8, knows its place, and notices a scalar without an end.

use crate::diagnostic::Position;
use crate::yaml::encoding::wide;
use granit_parser::{ErrorKind, InputIoError};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io;
use std::rc::Rc;

const BUFFER: usize = 64 * 1024;

/// What the reader and whoever follows it share.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    /// Bytes taken from the reader.
    taken: Cell<u64>,
    /// `taken` at the last event.
    mark: Cell<u64>,
    /// Bytes of a byte order mark.
    head: Cell<u64>,
    /// First byte that was no UTF-8, perhaps beyond what was used.
    invalid: Cell<Option<(u8, Position)>>,
    /// Offset of the first byte that nobody used; known when the input is dropped.
    used: Cell<u64>,
    /// Bytes beyond one per character, up to the characters that were asked for.
    extra: Cell<u64>,
    /// Later characters of several bytes: number of the character, bytes beyond one.
    wide: RefCell<VecDeque<(u64, u8)>>,
    wide_left: Cell<bool>,
    /// Offset of the next byte (JSON).
    offset: Cell<u64>,
    /// The next byte that is no blank begins a value.
    armed: Cell<bool>,
    start: Cell<u64>,
    /// Where lines begin and characters continue, for JSON.
    lines: RefCell<Lines>,
    too_long: Cell<bool>,
}

impl Meter {
    /// An event has ended: a scalar may again have its full length.
    pub(crate) fn event(&self) {
        self.mark.set(self.taken.get());
    }

    /// The first byte that is no UTF-8, and its place, once the input is dropped. What lies behind the place where
    /// reading broke off does not count: how much of it was buffered depends on the reader.
    pub(crate) fn invalid(&self) -> Option<(u8, Position)> {
        self.invalid.get().filter(|(_, at)| at.offset < self.used.get())
    }

    /// True when a scalar had no end within the limit.
    pub(crate) fn too_long(&self) -> bool {
        self.too_long.get()
    }

    /// Byte offset of a character by its number. Numbers should rise.
    pub(crate) fn byte_offset(&self, index: u64) -> u64 {
        self.event();
        if self.wide_left.get() {
            let mut wide = self.wide.borrow_mut();
            let mut extra = self.extra.get();
            while let Some((at, bytes)) = wide.front().copied()
                && at < index
            {
                extra += u64::from(bytes);
                wide.pop_front();
            }
            self.extra.set(extra);
            self.wide_left.set(!wide.is_empty());
        }
        index + self.head.get() + self.extra.get()
    }

    /// Offset of the next byte.
    pub(crate) fn here(&self) -> u64 {
        self.offset.get()
    }

    /// Offset of the byte that was read last.
    pub(crate) fn before(&self) -> u64 {
        self.offset.get().saturating_sub(1)
    }

    /// The next byte that is no blank begins a value.
    pub(crate) fn arm(&self) {
        self.armed.set(true);
    }

    /// The byte that was read last begins a value.
    pub(crate) fn begin(&self) {
        self.armed.set(false);
        self.start.set(self.before());
    }

    /// Where the value began.
    pub(crate) fn start(&self) -> u64 {
        self.start.get()
    }

    /// The place of an offset that lies behind those asked for before, or not far before them.
    pub(crate) fn place(&self, offset: u64) -> Position {
        self.lines.borrow_mut().place(offset)
    }

    #[cold]
    fn armed(&self, byte: u8) {
        if !byte.is_ascii_whitespace() {
            self.armed.set(false);
            self.start.set(self.offset.get());
        }
    }
}

/// Line breaks and longer characters that were read but not passed.
#[derive(Debug, Default)]
struct Lines {
    /// Offset and number of the line at the last place, and bytes of it that continue a character, up to `seen`.
    begin: u64,
    line: u32,
    extra: u64,
    /// Offsets of later line breaks, and of bytes that continue a character.
    marks: VecDeque<(u64, bool)>,
}

impl Lines {
    fn add(&mut self, offset: u64, text: &[u8]) {
        for (at, byte) in text.iter().enumerate() {
            if *byte == b'\n' || *byte & 0xC0 == 0x80 {
                self.marks.push_back((offset + at as u64, *byte == b'\n'));
            }
        }
    }

    fn place(&mut self, offset: u64) -> Position {
        while let Some((at, line_break)) = self.marks.front().copied()
            && at < offset
        {
            self.marks.pop_front();
            if line_break {
                self.begin = at + 1;
                self.line = self.line.saturating_add(1);
                self.extra = 0;
            } else {
                self.extra += 1;
            }
        }
        let column = offset.saturating_sub(self.begin).saturating_sub(self.extra).saturating_add(1);
        Position { offset, line: self.line.saturating_add(1), column: u32::try_from(column).unwrap_or(u32::MAX) }
    }
}

/// The reader; whole characters stand in `buffer[at..good]`, the rest of a cut one in `buffer[good..end]`.
pub(crate) struct Input<R> {
    reader: R,
    buffer: Box<[u8]>,
    at: usize,
    good: usize,
    end: usize,
    ended: bool,
    failure: Option<io::Error>,
    limit: u64,
    /// Place of `buffer[at]` when the buffer was filled; kept for the place of a wrong byte.
    line: u32,
    column: u32,
    /// Whether places of bytes are wanted (JSON).
    places: bool,
    meter: Rc<Meter>,
}

impl<R: io::Read> Input<R> {
    /// Takes the beginning of the text; `scalar` is the limit for one scalar.
    pub(crate) fn new(reader: R, scalar: usize) -> Self {
        let mut input = Self {
            reader,
            buffer: vec![0; BUFFER].into_boxed_slice(),
            at: 0,
            good: 0,
            end: 0,
            ended: false,
            failure: None,
            limit: (scalar as u64).saturating_add(2 * BUFFER as u64),
            line: 1,
            column: 1,
            places: false,
            meter: Rc::new(Meter::default()),
        };
        // Short first reads must hide neither the encoding nor the format.
        while !input.ended && input.end < BUFFER && (input.end < 4 || input.begins_with().is_none()) {
            input.take();
        }
        if input.encoding().is_none() {
            if input.buffer.starts_with(b"\xEF\xBB\xBF") && input.end >= 3 {
                input.at = 3;
                input.good = 3;
                input.meter.head.set(3);
                input.meter.offset.set(3);
                input.meter.lines.borrow_mut().begin = 3;
            }
            input.check();
        }
        input
    }

    pub(crate) fn meter(&self) -> Rc<Meter> {
        self.meter.clone()
    }

    /// The name of an encoding that is not read.
    pub(crate) fn encoding(&self) -> Option<&'static str> {
        self.buffer.get(..self.end).and_then(wide)
    }

    /// True when the text begins as JSON does: brackets, then a string or the end of a bracket.
    pub(crate) fn is_json(&self) -> bool {
        self.begins_with() == Some(true)
    }

    /// Whether the text begins as JSON does; `None` when there are only brackets and blanks so far.
    fn begins_with(&self) -> Option<bool> {
        let head = self.buffer.get(self.at..self.end)?;
        let mark = if self.at == 0 { b"\xEF\xBB\xBF".as_slice() } else { b"" };
        let head = head.strip_prefix(mark).unwrap_or(head);
        let mut marks = head.iter().filter(|b| !b.is_ascii_whitespace()).peekable();
        if !matches!(marks.peek()?, b'{' | b'[') {
            return Some(false);
        }
        marks.find(|b| !matches!(b, b'{' | b'[')).map(|b| matches!(b, b'"' | b'}' | b']'))
    }

    /// Prepares for reading as JSON.
    pub(crate) fn for_json(mut self) -> Self {
        self.places = true;
        if let Some(text) = self.buffer.get(self.at..self.good) {
            self.meter.lines.borrow_mut().add(self.meter.offset.get(), text);
        }
        self
    }

    /// Reads once into the free part of the buffer.
    fn take(&mut self) {
        let Some(free) = self.buffer.get_mut(self.end..) else { return };
        loop {
            match self.reader.read(free) {
                Ok(0) => self.ended = true,
                Ok(count) => {
                    self.end += count.min(free.len());
                    self.meter.taken.set(self.meter.taken.get() + count as u64);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => {
                    self.ended = true;
                    self.failure = Some(error);
                }
            }
            return;
        }
    }

    /// Finds the whole characters after `good`; bytes that are no UTF-8 become `?`.
    fn check(&mut self) {
        let Some(mut fresh) = self.buffer.get_mut(self.good..self.end) else { return };
        loop {
            let (valid, wrong) = match std::str::from_utf8(fresh) {
                Ok(text) => (text.len(), 0),
                Err(error) => (error.valid_up_to(), error.error_len().unwrap_or(usize::MAX)),
            };
            let (text, rest) = fresh.split_at_mut(valid);
            advance(text, &mut self.line, &mut self.column);
            self.good += valid;
            let wrong = match wrong {
                0 => return,
                usize::MAX if !self.ended => return,
                wrong => wrong.min(rest.len()),
            };
            if self.meter.invalid.get().is_none() {
                let behind = self.end - self.good;
                let offset = self.meter.taken.get().saturating_sub(behind as u64);
                let at = Position { offset, line: self.line, column: self.column };
                self.meter.invalid.set(Some((rest.first().copied().unwrap_or(0), at)));
            }
            let (bad, rest) = rest.split_at_mut(wrong);
            bad.fill(b'?');
            self.column = self.column.saturating_add(u32::try_from(wrong).unwrap_or(0));
            self.good += wrong;
            fresh = rest;
        }
    }

    /// Makes sure that a whole character is there; false at the end. Errors: of the reader, or a scalar too long.
    fn fill(&mut self) -> io::Result<bool> {
        while self.at >= self.good {
            if self.ended {
                return self.failure.take().map_or(Ok(false), Err);
            }
            if self.meter.taken.get() - self.meter.mark.get() > self.limit {
                self.meter.too_long.set(true);
                return Err(io::Error::other("a scalar is too long"));
            }
            self.buffer.copy_within(self.good..self.end, 0);
            self.end -= self.good;
            (self.at, self.good) = (0, 0);
            self.take();
            self.check();
            if self.places
                && let Some(text) = self.buffer.get(..self.good)
            {
                self.meter.lines.borrow_mut().add(self.meter.offset.get(), text);
            }
        }
        Ok(true)
    }
}

impl<R> Drop for Input<R> {
    fn drop(&mut self) {
        let left = self.end.saturating_sub(self.at);
        self.meter.used.set(self.meter.taken.get().saturating_sub(left as u64));
    }
}

fn advance(text: &[u8], line: &mut u32, column: &mut u32) {
    let breaks = text.iter().filter(|b| **b == b'\n').count();
    let last = text.rsplit(|b| *b == b'\n').next().unwrap_or(text);
    let width = last.iter().filter(|b| **b & 0xC0 != 0x80).count();
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    if breaks > 0 {
        *line = line.saturating_add(number(breaks));
        *column = 1;
    }
    *column = column.saturating_add(number(width));
}

/// For JSON: bytes, with their offset in the meter. `serde_json` asks for one byte at a time.
impl<R: io::Read> io::Read for Input<R> {
    #[inline]
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let Some(out) = out.first_mut() else { return Ok(0) };
        if self.at >= self.good && !self.fill()? {
            return Ok(0);
        }
        let Some(byte) = self.buffer.get(self.at) else { return Ok(0) };
        *out = *byte;
        self.at += 1;
        if self.meter.armed.get() {
            self.meter.armed(*byte);
        }
        self.meter.offset.set(self.meter.offset.get() + 1);
        Ok(1)
    }
}

/// For YAML: characters, with their byte offsets in the meter.
pub(crate) struct Chars<R> {
    input: Input<R>,
    index: u64,
}

impl<R: io::Read> Chars<R> {
    pub(crate) fn new(input: Input<R>) -> Self {
        Self { input, index: 0 }
    }

    #[cold]
    fn broken(&self, error: io::Error) -> ErrorKind {
        if self.input.meter.too_long() {
            ErrorKind::InputByteLimitExceeded { limit: usize::try_from(self.input.limit).unwrap_or(usize::MAX) }
        } else {
            ErrorKind::InputIo { error: InputIoError::from_io(error) }
        }
    }

    fn wide(&mut self) -> Option<char> {
        let input = &mut self.input;
        let head = input.buffer.get(input.at..input.good.min(input.at + 4))?;
        let c = head.utf8_chunks().next().and_then(|chunk| chunk.valid().chars().next())?;
        input.at += c.len_utf8();
        let extra = u8::try_from(c.len_utf8() - 1).unwrap_or(0);
        input.meter.wide.borrow_mut().push_back((self.index, extra));
        input.meter.wide_left.set(true);
        self.index += 1;
        Some(c)
    }
}

impl<R: io::Read> Iterator for Chars<R> {
    type Item = Result<char, ErrorKind>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let input = &mut self.input;
        if input.at >= input.good {
            match input.fill() {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => return Some(Err(self.broken(error))),
            }
        }
        let byte = *self.input.buffer.get(self.input.at)?;
        if byte < 0x80 {
            self.input.at += 1;
            self.index += 1;
            return Some(Ok(char::from(byte)));
        }
        self.wide().map(Ok)
    }
}
