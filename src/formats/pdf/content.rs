//! The content of a page, and its places: only as much of it is run as text needs.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    rc::Rc,
};

use hayro_syntax::{
    object::{Array, Dict, Name, Object, ObjectIdentifier, Stream, String as Text},
    page::{Page, Resources},
};

use super::{
    encoding::text_string,
    font::Font,
    line::{Glyph, Lines, logical},
    stream,
    words::{Words, find, is_space},
};
use crate::limits::Budget;
use satchel_model::error::Result;

/// Deepest forms in forms.
const MAX_DEPTH: usize = 8;

/// Deepest states that are put aside, and marks that are open.
const MAX_STACK: usize = 64;

/// Most fonts of one program that are kept, and of all pages: each takes some 20 KB.
const MAX_FONTS: (usize, usize) = (64, 500);

/// The cost of running a form, beside its bytes and those of its resources.
const FORM_COST: usize = 2048;

/// A matrix: `x' = a·x + c·y + e`, `y' = b·x + d·y + f`.
type Matrix = [f64; 6];

const UNIT: Matrix = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0];

/// First `a`, then `b`.
fn times(a: &Matrix, b: &Matrix) -> Matrix {
    let ([a0, a1, a2, a3, a4, a5], [b0, b1, b2, b3, b4, b5]) = (a, b);
    [
        a0 * b0 + a1 * b2,
        a0 * b1 + a1 * b3,
        a2 * b0 + a3 * b2,
        a2 * b1 + a3 * b3,
        a4 * b0 + a5 * b2 + b4,
        a4 * b1 + a5 * b3 + b5,
    ]
}

#[derive(Clone)]
struct State {
    place: Matrix,
    font: Option<Rc<Font>>,
    size: f64,
    letter_gap: f64,
    word_gap: f64,
    scale: f64,
    leading: f64,
    rise: f64,
}

/// The fonts of a set of resources by name.
type Fonts = HashMap<Vec<u8>, Rc<Font>>;

/// The state that the pages of a document share.
#[derive(Default)]
pub(super) struct Shared {
    /// Fonts that are objects of their own.
    fonts: HashMap<ObjectIdentifier, Rc<Font>>,
    /// The font where there is none.
    missing: Option<Rc<Font>>,
    /// Pictures, and forms that show no text: one is often shown thousands of times.
    silent: HashSet<ObjectIdentifier>,
}

/// Runs programs.
struct Runner<'f> {
    budget: &'f mut Budget,
    lines: &'f mut Lines,
    shared: &'f mut Shared,
    /// Operators that were met and could show text.
    spoken: usize,
    /// Forms that are running.
    running: HashSet<ObjectIdentifier>,
    state: State,
    text: Matrix,
    line: Matrix,
    /// Texts that stand for what is shown while a mark is open.
    marks: Vec<Option<Mark>>,
}

/// A text that stands for what is shown.
struct Mark {
    text: String,
    first: Option<Glyph>,
}

/// Adds what a page shows.
///
/// # Errors
///
/// If it holds more than the budget allows.
pub(super) fn run(page: &Page<'_>, shared: &mut Shared, lines: &mut Lines, budget: &mut Budget) -> Result<()> {
    let program = program(page, budget)?;
    let state = State {
        place: UNIT,
        font: None,
        size: 0.0,
        letter_gap: 0.0,
        word_gap: 0.0,
        scale: 1.0,
        leading: 0.0,
        rise: 0.0,
    };
    let mut runner = Runner {
        budget,
        lines,
        shared,
        spoken: 0,
        running: HashSet::new(),
        state,
        text: UNIT,
        line: UNIT,
        marks: Vec::new(),
    };
    runner.program(&program, page.resources())
}

fn program<'a>(page: &Page<'a>, budget: &mut Budget) -> Result<Cow<'a, [u8]>> {
    let parts = match page.raw().get::<Object<'_>>("Contents") {
        // Taken as it is: a copy of a large one would be felt.
        Some(Object::Stream(stream)) => return stream::data(&stream, budget),
        Some(Object::Array(parts)) => parts,
        _ => return Ok(Cow::default()),
    };
    let mut program = Vec::new();
    for part in parts.raw_iter().filter_map(|part| part.as_obj_ref()) {
        if let Some(stream) = page.xref().get::<Stream<'_>>(part.into()) {
            program.extend_from_slice(&stream::data(&stream, budget)?);
            program.push(b'\n');
        }
    }
    Ok(Cow::Owned(program))
}

impl Runner<'_> {
    fn program(&mut self, program: &[u8], resources: &Resources<'_>) -> Result<()> {
        let (mut words, mut operands, mut put_aside, mut fonts) =
            (Words::new(program), Vec::new(), Vec::new(), Fonts::new());
        while let Some(operator) = words.next(&mut operands) {
            self.spoken += usize::from(matches!(operator, b"Tj" | b"TJ" | b"'" | b"\"" | b"Do"));
            match operator {
                b"q" if put_aside.len() < MAX_STACK => put_aside.push(self.state.clone()),
                b"Q" => self.state = put_aside.pop().unwrap_or_else(|| self.state.clone()),
                b"ID" => skip_image(&mut words),
                b"Tf" => self.choose_font(&operands, resources, &mut fonts)?,
                b"Do" => self.form(&operands, resources)?,
                b"BDC" => self.mark(&operands, resources),
                b"BMC" => self.mark(&[], resources),
                b"EMC" => self.end_mark()?,
                operator => self.operate(operator, &operands)?,
            }
        }
        Ok(())
    }

    fn operate(&mut self, operator: &[u8], operands: &[Object<'_>]) -> Result<()> {
        let number = |at: usize| number(operands.get(at));
        let six = || [number(0), number(1), number(2), number(3), number(4), number(5)];
        match operator {
            b"cm" => self.state.place = times(&six(), &self.state.place),
            b"BT" => self.set_line(UNIT),
            b"Tm" => self.set_line(six()),
            b"Td" => self.move_by(number(0), number(1)),
            b"TD" => {
                self.state.leading = -number(1);
                self.move_by(number(0), number(1));
            }
            b"T*" => self.move_by(0.0, -self.state.leading),
            b"Tc" => self.state.letter_gap = number(0),
            b"Tw" => self.state.word_gap = number(0),
            b"Tz" => self.state.scale = number(0) / 100.0,
            b"TL" => self.state.leading = number(0),
            b"Ts" => self.state.rise = number(0),
            b"Tj" => return self.show(operands.first()),
            b"'" => {
                self.move_by(0.0, -self.state.leading);
                return self.show(operands.first());
            }
            b"\"" => {
                (self.state.word_gap, self.state.letter_gap) = (number(0), number(1));
                self.move_by(0.0, -self.state.leading);
                return self.show(operands.get(2));
            }
            b"TJ" => {
                let Some(Object::Array(items)) = operands.first() else { return Ok(()) };
                for item in items.iter::<Object<'_>>() {
                    match item {
                        Object::Number(gap) => {
                            self.advance(-gap.as_f64() / 1000.0 * self.state.size * self.state.scale);
                        }
                        item => self.show(Some(&item))?,
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn set_line(&mut self, matrix: Matrix) {
        (self.text, self.line) = (matrix, matrix);
    }

    fn move_by(&mut self, x: f64, y: f64) {
        self.set_line(times(&[1.0, 0.0, 0.0, 1.0, x, y], &self.line));
    }

    fn advance(&mut self, by: f64) {
        self.text = times(&[1.0, 0.0, 0.0, 1.0, by, 0.0], &self.text);
    }

    fn show(&mut self, text: Option<&Object<'_>>) -> Result<()> {
        let (Some(Object::String(bytes)), Some(font)) = (text, self.state.font.clone()) else { return Ok(()) };
        let mut bytes = bytes.as_bytes();
        while let Some(shown) = font.next(&mut bytes) {
            let State { size, letter_gap, word_gap, scale, rise, .. } = self.state;
            let place = times(&times(&[size * scale, 0.0, 0.0, size, 0.0, rise], &self.text), &self.state.place);
            let gap = letter_gap + if shown.blank { word_gap } else { 0.0 };
            self.advance((shown.width * size + gap) * scale);
            let [a, b, c, d, x, y] = place;
            // Along the line and across it: turned pages read like others.
            let long = a.hypot(b);
            if !long.is_finite() || long <= f64::EPSILON || !x.is_finite() || !y.is_finite() {
                continue;
            }
            let (cos, sin) = (a / long, b / long);
            let along = x * cos + y * sin;
            let glyph = Glyph {
                start: along,
                end: along + shown.width * long,
                height: y * cos - x * sin,
                size: c.hypot(d),
                angle: sin.atan2(cos).to_degrees().round() as i32,
                text: shown.text,
            };
            self.put(glyph)?;
        }
        Ok(())
    }

    fn put(&mut self, glyph: Glyph) -> Result<()> {
        match self.marks.iter_mut().flatten().next() {
            Some(mark) => {
                match &mut mark.first {
                    Some(first) => first.end = first.end.max(glyph.end),
                    none => *none = Some(glyph),
                }
                Ok(())
            }
            None => self.lines.put(glyph, self.budget),
        }
    }

    fn choose_font(&mut self, operands: &[Object<'_>], resources: &Resources<'_>, fonts: &mut Fonts) -> Result<()> {
        let [Object::Name(name), size, ..] = operands else { return Ok(()) };
        self.state.size = number(Some(size));
        if let Some(font) = fonts.get(&**name) {
            self.state.font = Some(Rc::clone(font));
            return Ok(());
        }
        let font = self.font(name, resources)?;
        if fonts.len() >= MAX_FONTS.0 {
            fonts.clear();
        }
        fonts.insert(name.to_vec(), Rc::clone(&font));
        self.state.font = Some(font);
        Ok(())
    }

    fn font(&mut self, name: &Name<'_>, resources: &Resources<'_>) -> Result<Rc<Font>> {
        let id = resources.fonts.get_ref(name).map(ObjectIdentifier::from);
        if let Some(font) = id.and_then(|id| self.shared.fonts.get(&id)) {
            return Ok(Rc::clone(font));
        }
        let Some(dictionary) = resources.get_font(name) else {
            let missing = match self.shared.missing.take() {
                Some(missing) => missing,
                None => Rc::new(Font::read(&Dict::empty(), self.budget)?),
            };
            return Ok(Rc::clone(self.shared.missing.insert(missing)));
        };
        let font = Rc::new(Font::read(&dictionary, self.budget)?);
        if self.shared.fonts.len() >= MAX_FONTS.1 {
            self.shared.fonts.clear();
        }
        if let Some(id) = id {
            self.shared.fonts.insert(id, Rc::clone(&font));
        }
        Ok(font)
    }

    fn form(&mut self, operands: &[Object<'_>], resources: &Resources<'_>) -> Result<()> {
        let [Object::Name(name), ..] = operands else { return Ok(()) };
        let id = resources.x_objects.get_ref(name).map(ObjectIdentifier::from);
        let is_known = |ids: &HashSet<ObjectIdentifier>| id.is_some_and(|id| ids.contains(&id));
        if self.running.len() >= MAX_DEPTH || is_known(&self.running) || is_known(&self.shared.silent) {
            return Ok(());
        }
        let form = resources.get_x_object(name);
        let is_form = |form: &Stream<'_>| form.dict().get::<Name<'_>>("Subtype").as_deref() == Some(b"Form");
        let Some(form) = form.filter(is_form) else {
            self.shared.silent.extend(id);
            return Ok(());
        };
        let own = form.dict().get::<Dict<'_>>("Resources").unwrap_or_default();
        self.budget.unpack(FORM_COST + own.data().len())?;
        let program = stream::data(&form, self.budget)?;
        let before = self.state.clone();
        if let Some(given) = form.dict().get::<Array<'_>>("Matrix") {
            let mut matrix = UNIT;
            matrix.iter_mut().zip(given.iter::<Object<'_>>()).for_each(|(place, item)| *place = number(Some(&item)));
            self.state.place = times(&matrix, &self.state.place);
        }
        self.running.extend(id);
        let before_it = self.spoken;
        if own.is_empty() {
            self.program(&program, resources)?;
        } else {
            self.program(&program, &Resources::new(own))?;
        }
        if let Some(id) = id {
            self.running.remove(&id);
            if self.spoken == before_it {
                self.shared.silent.insert(id);
            }
        }
        self.state = before;
        Ok(())
    }

    fn mark(&mut self, operands: &[Object<'_>], resources: &Resources<'_>) {
        if self.marks.len() >= MAX_STACK {
            return;
        }
        let text = match operands.get(1) {
            Some(Object::Dict(own)) => own.get::<Text<'_>>("ActualText"),
            Some(Object::Name(name)) => {
                let named = resources.properties.get::<Dict<'_>>(name);
                named.and_then(|named| named.get::<Text<'_>>("ActualText"))
            }
            _ => None,
        };
        self.marks.push(text.map(|text| Mark { text: text_string(&text), first: None }));
    }

    fn end_mark(&mut self) -> Result<()> {
        match self.marks.pop().flatten() {
            // It stands in the order it is read in, and the line will be turned round.
            Some(Mark { text, first: Some(first) }) => self.put(Glyph { text: logical(&text), ..first }),
            _ => Ok(()),
        }
    }
}

fn number(value: Option<&Object<'_>>) -> f64 {
    match value {
        Some(Object::Number(number)) => number.as_f64(),
        _ => 0.0,
    }
}

/// Passes over an image within a program: up to an `EI` that stands alone.
fn skip_image(words: &mut Words<'_>) {
    loop {
        let rest = words.rest();
        let Some(at) = find(rest, b"EI") else { return words.skip(rest.len()) };
        let alone = at.checked_sub(1).and_then(|before| rest.get(before)).is_some_and(|byte| is_space(*byte))
            && rest.get(at + 2).is_none_or(|byte| is_space(*byte));
        words.skip(at + 2);
        if alone {
            return;
        }
    }
}
