//! A PDF file: objects by number, read when they are asked for.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    rc::Rc,
};

use lopdf::{Dictionary, EncryptionState, Object, Stream};

use super::{crypt, filters, lexer::Lexer, repair, xref};
use crate::limits::Budget;
use satchel_model::error::{Error, Result};

/// The place of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Entry {
    /// At a byte of the file.
    At(usize),
    /// In a stream of objects, by that stream's number.
    Within(u32),
    /// Nowhere: it was deleted.
    Free,
}

/// Deepest objects that are read while others are.
const MAX_NESTED: usize = 16;

/// Longest chain of references to references.
const MAX_STEPS: usize = 16;

/// An open file.
pub(crate) struct File<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) entries: HashMap<u32, Entry>,
    pub(super) trailer: Dictionary,
    crypt: Option<EncryptionState>,
    known: HashMap<u32, Rc<Object>>,
    /// Streams of objects that were unpacked, by number.
    unpacked: HashSet<u32>,
    nested: usize,
    pub(crate) budget: Budget,
}

impl<'a> File<'a> {
    /// Opens a file, mending its table of objects where that is broken.
    pub(crate) fn open(bytes: &'a [u8], budget: Budget) -> Result<Self> {
        let mut file = Self {
            bytes,
            entries: HashMap::new(),
            trailer: Dictionary::new(),
            crypt: None,
            known: HashMap::new(),
            unpacked: HashSet::new(),
            nested: 0,
            budget,
        };
        xref::load(&mut file)?;
        file.unlock()?;
        if !file.is_sound()? {
            file.crypt = None;
            file.forget();
            repair::rebuild(&mut file)?;
            file.unlock()?;
        }
        if !file.is_sound()? {
            return Err(Error::invalid(
                "The PDF is damaged or incomplete: its pages cannot be found. Save it anew, or fetch it again.",
            ));
        }
        Ok(file)
    }

    /// Finds the key of an encrypted file. What was read so far was read without it.
    fn unlock(&mut self) -> Result<()> {
        let Some(encrypt) = self.trailer.get(b"Encrypt").ok().cloned() else { return Ok(()) };
        let encrypt = self.resolve(&encrypt)?;
        self.forget();
        self.crypt = crypt::unlock(&encrypt, &self.trailer)?;
        Ok(())
    }

    fn forget(&mut self) {
        self.known.clear();
        self.unpacked.clear();
    }

    /// Returns whether a catalogue with pages can be reached.
    fn is_sound(&mut self) -> Result<bool> {
        let Some(pages) = self.catalog()?.get(b"Pages").ok().cloned() else { return Ok(false) };
        Ok(self.resolve(&pages)?.as_dict().is_ok())
    }

    /// The document's root.
    pub(crate) fn catalog(&mut self) -> Result<Dictionary> {
        let root = self.trailer.get(b"Root").cloned().unwrap_or(Object::Null);
        let root = self.resolve(&root)?;
        self.copied(&root)
    }

    /// The object a reference leads to; the object itself where it is none.
    pub(crate) fn resolve(&mut self, object: &Object) -> Result<Rc<Object>> {
        let mut current = Rc::new(Object::Null);
        let mut id = match object {
            Object::Reference((id, _)) => *id,
            other => {
                self.budget.copy(weight(other))?;
                return Ok(Rc::new(other.clone()));
            }
        };
        for _ in 0..MAX_STEPS {
            current = self.get(id)?;
            match &*current {
                Object::Reference((next, _)) => id = *next,
                _ => return Ok(current),
            }
        }
        Ok(if matches!(&*current, Object::Reference(_)) { Rc::new(Object::Null) } else { current })
    }

    /// Returns the value under a key, references followed.
    pub(crate) fn value(&mut self, dictionary: &Dictionary, key: &[u8]) -> Result<Rc<Object>> {
        match dictionary.get(key) {
            Ok(object) => self.resolve(object),
            Err(_) => Ok(Rc::new(Object::Null)),
        }
    }

    /// A dictionary under a key; a stream's own dictionary counts. Empty where there is none.
    pub(super) fn dictionary(&mut self, dictionary: &Dictionary, key: &[u8]) -> Result<Dictionary> {
        let value = self.value(dictionary, key)?;
        self.copied(&value)
    }

    /// Returns the object under a name in the dictionary under a key: of a page's resources, all of which may be very
    /// many.
    pub(super) fn entry(&mut self, dictionary: &Dictionary, key: &[u8], name: &[u8]) -> Result<Option<Object>> {
        let named = match dictionary.get(key) {
            Ok(Object::Dictionary(named)) => named.get(name).ok().cloned(),
            Ok(object @ Object::Reference(_)) => {
                self.resolve(object)?.as_dict().ok().and_then(|named| named.get(name).ok().cloned())
            }
            _ => None,
        };
        self.budget.copy(named.as_ref().map_or(0, weight))?;
        Ok(named)
    }

    /// The dictionary of an object, without the bytes of a stream. Empty where there is none.
    pub(super) fn head(&mut self, object: &Object) -> Result<Dictionary> {
        let at = object.as_reference().ok().and_then(|(id, _)| match self.entries.get(&id) {
            Some(Entry::At(at)) => Some(*at),
            _ => None,
        });
        let Some(at) = at else {
            let object = self.resolve(object)?;
            return self.copied(&object);
        };
        let mut lexer = Lexer::new(self.bytes, at);
        let _ = (lexer.number(), lexer.number(), lexer.keyword(b"obj"));
        Ok(lexer.object(&mut self.budget)?.and_then(|object| object.as_dict().ok().cloned()).unwrap_or_default())
    }

    /// An object's own dictionary, copied; a stream's counts. Empty where there is none.
    pub(super) fn copied(&mut self, object: &Object) -> Result<Dictionary> {
        let found = match object {
            Object::Dictionary(found) => found,
            Object::Stream(stream) => &stream.dict,
            _ => return Ok(Dictionary::new()),
        };
        self.budget.copy(found.iter().map(|(_, value)| weight(value)).sum())?;
        Ok(found.clone())
    }

    /// An object by its number; null where there is none.
    pub(crate) fn get(&mut self, id: u32) -> Result<Rc<Object>> {
        if let Some(known) = self.known.get(&id) {
            return Ok(Rc::clone(known));
        }
        if self.nested >= MAX_NESTED {
            return Ok(Rc::new(Object::Null));
        }
        self.nested += 1;
        let read = self.read(id);
        self.nested -= 1;
        let object = Rc::new(read?.unwrap_or(Object::Null));
        // A stream's bytes are in the file already.
        if !matches!(&*object, Object::Stream(_)) {
            self.known.insert(id, Rc::clone(&object));
        }
        Ok(object)
    }

    fn read(&mut self, id: u32) -> Result<Option<Object>> {
        match self.entries.get(&id).copied() {
            Some(Entry::At(at)) => {
                let Some((found, mut object)) = self.object_at(at)? else { return Ok(None) };
                if found != id {
                    return Ok(None);
                }
                if let Some(crypt) = &self.crypt
                    && lopdf::encryption::decrypt_object(crypt, (id, 0), &mut object).is_err()
                {
                    return Ok(None);
                }
                Ok(Some(object))
            }
            Some(Entry::Within(stream)) => {
                if self.unpacked.insert(stream) {
                    self.unpack(stream)?;
                }
                Ok(self.known.get(&id).map(|object| (**object).clone()))
            }
            Some(Entry::Free) | None => Ok(None),
        }
    }

    /// The object that begins at a byte, and its number.
    pub(super) fn object_at(&mut self, at: usize) -> Result<Option<(u32, Object)>> {
        let mut lexer = Lexer::new(self.bytes, at);
        let (Some(id), Some(_), true) = (lexer.number(), lexer.number(), lexer.keyword(b"obj")) else {
            return Ok(None);
        };
        let Ok(id) = u32::try_from(id) else { return Ok(None) };
        let Some(object) = lexer.object(&mut self.budget)? else { return Ok(None) };
        let Object::Dictionary(dictionary) = object else { return Ok(Some((id, object))) };
        if !lexer.keyword(b"stream") {
            return Ok(Some((id, Object::Dictionary(dictionary))));
        }
        match lexer.rest() {
            [b'\r', b'\n', ..] => lexer.skip(2),
            [b'\n' | b'\r', ..] => lexer.skip(1),
            _ => {}
        }
        let length = self.value(&dictionary, b"Length")?.as_i64().ok().and_then(|length| usize::try_from(length).ok());
        let content = self.content(&lexer, length)?;
        self.budget.search(content.len())?;
        let is_picture = dictionary.get(b"Subtype").and_then(Object::as_name).is_ok_and(|kind| kind == b"Image");
        if content.len() > self.budget.part() && !is_picture {
            return Err(self.budget.unpacks_too_much());
        }
        Ok(Some((id, Object::Stream(Stream::new(dictionary, content.to_vec())))))
    }

    /// A stream's bytes: as many as it says, where it then ends; else up to where it does.
    fn content(&mut self, lexer: &Lexer<'a>, length: Option<usize>) -> Result<&'a [u8]> {
        let rest = lexer.rest();
        if let Some(content) = length.and_then(|length| rest.get(..length)) {
            let mut behind = lexer.clone();
            behind.skip(content.len());
            if behind.keyword(b"endstream") {
                return Ok(content);
            }
        }
        let end = find(rest, b"endstream").unwrap_or(rest.len());
        self.budget.search(end)?;
        let content = rest.get(..end).unwrap_or_default();
        Ok(content.strip_suffix(b"\n").map_or(content, |cut| cut.strip_suffix(b"\r").unwrap_or(cut)))
    }

    /// Reads all objects in a stream of them.
    fn unpack(&mut self, id: u32) -> Result<()> {
        let stream = self.get(id)?;
        let Object::Stream(stream) = &*stream else { return Ok(()) };
        let count = self.value(&stream.dict, b"N")?.as_i64().unwrap_or(0);
        let first = self.value(&stream.dict, b"First")?.as_i64().ok().and_then(|first| usize::try_from(first).ok());
        let data = self.data(stream)?;
        let mut head = Lexer::new(&data, 0);
        for _ in 0..count {
            let (Some(id), Some(offset)) = (head.number(), head.number()) else { break };
            let (Ok(id), Ok(offset)) = (u32::try_from(id), usize::try_from(offset)) else { break };
            if self.known.contains_key(&id) || !matches!(self.entries.get(&id), Some(Entry::Within(_))) {
                continue;
            }
            let at = first.unwrap_or(0).saturating_add(offset);
            if let Some(object) = Lexer::new(&data, at).object(&mut self.budget)? {
                self.known.insert(id, Rc::new(object));
            }
        }
        Ok(())
    }

    /// A stream's bytes with its filters undone.
    pub(super) fn data<'s>(&mut self, stream: &'s Stream) -> Result<Cow<'s, [u8]>> {
        let key = |long: &'static [u8], short: &'static [u8]| if stream.dict.has(long) { long } else { short };
        let filter = self.value(&stream.dict, key(b"Filter", b"F"))?;
        let mut names = filters::names(&filter);
        if let Object::Array(items) = &*filter {
            names = items
                .iter()
                .map(|item| self.resolve(item))
                .collect::<Result<Vec<_>>>()?
                .iter()
                .flat_map(|name| filters::names(name))
                .collect();
        }
        let parameters = self.value(&stream.dict, key(b"DecodeParms", b"DP"))?;
        let parameters = match &*parameters {
            Object::Array(items) => items.clone(),
            Object::Null => Vec::new(),
            one => vec![one.clone()],
        };
        let parameters = parameters.iter().map(|own| Ok(self.resolve(own)?.as_dict().ok().cloned()));
        let parameters = parameters.collect::<Result<Vec<_>>>()?;
        filters::decode(&stream.content, &names, &parameters, &mut self.budget)
    }
}

/// Returns the number of values an object is built from.
fn weight(object: &Object) -> usize {
    match object {
        Object::Array(items) => 1 + items.iter().map(weight).sum::<usize>(),
        Object::Dictionary(dictionary) => 1 + dictionary.iter().map(|(_, value)| weight(value)).sum::<usize>(),
        Object::Stream(stream) => 1 + stream.dict.len() + stream.content.len() / 64,
        Object::String(text, _) => 1 + text.len() / 64,
        _ => 1,
    }
}

/// Returns the first place of `wanted`.
pub(super) fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    let first = wanted.first()?;
    let mut from = 0;
    while let Some(at) = bytes.get(from..)?.iter().position(|byte| byte == first) {
        if bytes.get(from + at..)?.starts_with(wanted) {
            return Some(from + at);
        }
        from += at + 1;
    }
    None
}
