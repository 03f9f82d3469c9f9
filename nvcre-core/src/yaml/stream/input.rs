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
    /// Bytes beyond one per character, of all characters of several bytes.
    extra: Cell<u64>,
    /// The latest of these: number of the character, and `extra` behind it.
    wide: RefCell<VecDeque<(u64, u64)>>,
    /// `extra` before the first of `wide`.
    passed: Cell<u64>,
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

    /// Byte offset of a character by its number, which may lie a little before one that was asked for earlier.
    pub(crate) fn byte_offset(&self, index: u64) -> u64 {
        self.event();
        let bytes = index + self.head.get();
        if self.extra.get() == 0 {
            return bytes;
        }
        let mut wide = self.wide.borrow_mut();
        while let Some((at, extra)) = wide.front().copied()
            && at + BEHIND < index
        {
            self.passed.set(extra);
            wide.pop_front();
        }
        let count = wide.partition_point(|(at, _)| *at < index);
        let extra = count.checked_sub(1).and_then(|last| wide.get(last)).map_or(self.passed.get(), |(_, extra)| *extra);
        bytes + extra
    }

    /// Notes a character of several bytes.
    fn wide(&self, index: u64, more: u64) {
        let extra = self.extra.get() + more;
        self.extra.set(extra);
        self.wide.borrow_mut().push_back((index, extra));
    }
}

/// Places of a document do not go back further than this: a simple key holds at most 1,024 characters.
const BEHIND: u64 = 4096;

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
            }
            input.check();
        }
        input
    }

    pub(crate) fn meter(&self) -> Rc<Meter> {
        self.meter.clone()
    }

    /// Bytes of a byte order mark.
    pub(crate) fn head(&self) -> u64 {
        self.meter.head.get()
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

    /// The text that was read but not passed; empty at the end. Errors: of the reader, or a scalar too long.
    pub(crate) fn chunk(&mut self) -> io::Result<&[u8]> {
        self.fill()?;
        Ok(self.buffer.get(self.at..self.good).unwrap_or(&[]))
    }

    /// The next byte. Errors as for [`Input::chunk`].
    #[inline]
    pub(crate) fn peek(&mut self) -> io::Result<Option<u8>> {
        if self.at >= self.good && !self.fill()? {
            return Ok(None);
        }
        Ok(self.buffer.get(self.at).copied())
    }

    /// Passes bytes of the chunk.
    #[inline]
    pub(crate) fn pass(&mut self, count: usize) {
        self.at = (self.at + count).min(self.good);
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
        input.meter.wide(self.index, c.len_utf8() as u64 - 1);
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
