//! The content of a page, and its places: only as much of it is run as text needs.

use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
};

use lopdf::{Dictionary, Object};

use super::{
    file::{File, find},
    font::Font,
    lexer::{Lexer, Word, is_space},
    line::{Glyph, Lines, logical},
    pages::Page,
};
use satchel_model::error::Result;

/// Deepest forms in forms.
const MAX_DEPTH: usize = 8;

/// Deepest states that are put aside, and marks that are open.
const MAX_STACK: usize = 64;

/// Most fonts of one program that are kept, and of all pages: each takes some 20 KB.
const MAX_FONTS: (usize, usize) = (64, 500);

/// The cost of reading a font, in values.
const FONT_COST: usize = 100;

/// The cost of running a form, beside its bytes.
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
    fonts: HashMap<u32, Rc<Font>>,
    /// Pictures, and forms that show no text: one is often shown thousands of times.
    silent: HashSet<u32>,
}

/// Runs programs.
struct Runner<'f, 'a> {
    file: &'f mut File<'a>,
    lines: &'f mut Lines,
    shared: &'f mut Shared,
    /// Operators that were met and could show text.
    spoken: usize,
    /// Forms that are running.
    running: HashSet<u32>,
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
pub(super) fn run(page: &Page, file: &mut File<'_>, shared: &mut Shared, lines: &mut Lines) -> Result<()> {
    let resources = match page.attribute(b"Resources") {
        Some(resources) => {
            let resources = file.resolve(resources)?;
            file.copied(&resources)?
        }
        None => Dictionary::new(),
    };
    let contents = file.value(&page.dictionary, b"Contents")?;
    let mut program = Vec::new();
    match &*contents {
        Object::Array(parts) => {
            for part in parts {
                if let Object::Stream(stream) = &*file.resolve(part)? {
                    program.extend_from_slice(&file.data(stream)?);
                    program.push(b'\n');
                }
            }
        }
        // Taken as it is: a copy of a large one would be felt.
        Object::Stream(stream) => program = file.data(stream)?.into_owned(),
        _ => {}
    }
    drop(contents);
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
        file,
        lines,
        shared,
        spoken: 0,
        running: HashSet::new(),
        state,
        text: UNIT,
        line: UNIT,
        marks: Vec::new(),
    };
    runner.program(&program, &resources)
}

impl Runner<'_, '_> {
    fn program(&mut self, program: &[u8], resources: &Dictionary) -> Result<()> {
        let (mut lexer, mut operands, mut put_aside, mut fonts) =
            (Lexer::new(program, 0), Vec::new(), Vec::new(), Fonts::new());
        while let Some(word) = lexer.word(&mut self.file.budget)? {
            let operator = match word {
                Word::Operand(operand) => {
                    operands.push(operand);
                    continue;
                }
                Word::Operator(operator) => operator,
            };
            self.spoken += usize::from(matches!(operator, b"Tj" | b"TJ" | b"'" | b"\"" | b"Do"));
            match operator {
                b"q" if put_aside.len() < MAX_STACK => put_aside.push(self.state.clone()),
                b"Q" => self.state = put_aside.pop().unwrap_or_else(|| self.state.clone()),
                b"ID" => skip_image(&mut lexer),
                b"Tf" => self.choose_font(&operands, resources, &mut fonts)?,
                b"Do" => self.form(&operands, resources)?,
                b"BDC" => self.mark(&operands, resources)?,
                b"BMC" => self.mark(&[], resources)?,
                b"EMC" => self.end_mark()?,
                operator => self.operate(operator, &operands)?,
            }
            operands.clear();
        }
        Ok(())
    }

    fn operate(&mut self, operator: &[u8], operands: &[Object]) -> Result<()> {
        let number = |at: usize| operands.get(at).and_then(|value| value.as_float().ok()).map_or(0.0, f64::from);
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
                for item in operands.first().and_then(|items| items.as_array().ok()).into_iter().flatten() {
                    match item.as_float() {
                        Ok(gap) => self.advance(-f64::from(gap) / 1000.0 * self.state.size * self.state.scale),
                        Err(_) => self.show(Some(item))?,
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

    fn show(&mut self, text: Option<&Object>) -> Result<()> {
        let (Some(Object::String(bytes, _)), Some(font)) = (text, self.state.font.clone()) else { return Ok(()) };
        let mut bytes = bytes.as_slice();
        while let Some(shown) = font.next(&mut bytes) {
            self.file.budget.value()?;
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
            None => self.lines.put(glyph, &mut self.file.budget),
        }
    }

    fn choose_font(&mut self, operands: &[Object], resources: &Dictionary, fonts: &mut Fonts) -> Result<()> {
        let [Object::Name(name), size, ..] = operands else { return Ok(()) };
        self.state.size = size.as_float().map_or(0.0, f64::from);
        if let Some(font) = fonts.get(name) {
            self.state.font = Some(Rc::clone(font));
            return Ok(());
        }
        let named = self.file.entry(resources, b"Font", name)?.unwrap_or(Object::Null);
        let id = named.as_reference().ok().map(|(id, _)| id);
        let font = match id.and_then(|id| self.shared.fonts.get(&id)) {
            Some(font) => Rc::clone(font),
            None => {
                self.file.budget.copy(FONT_COST)?;
                let font = self.file.resolve(&named)?;
                let dictionary = self.file.copied(&font)?;
                Rc::new(Font::read(&dictionary, self.file)?)
            }
        };
        if fonts.len() >= MAX_FONTS.0 {
            fonts.clear();
        }
        if self.shared.fonts.len() >= MAX_FONTS.1 {
            self.shared.fonts.clear();
        }
        if let Some(id) = id {
            self.shared.fonts.insert(id, Rc::clone(&font));
        }
        fonts.insert(name.clone(), Rc::clone(&font));
        self.state.font = Some(font);
        Ok(())
    }

    fn form(&mut self, operands: &[Object], resources: &Dictionary) -> Result<()> {
        let [Object::Name(name), ..] = operands else { return Ok(()) };
        let Some(named) = self.file.entry(resources, b"XObject", name)? else { return Ok(()) };
        let id = named.as_reference().ok().map(|(id, _)| id);
        let is_known = |ids: &HashSet<u32>| id.is_some_and(|id| ids.contains(&id));
        if self.running.len() >= MAX_DEPTH || is_known(&self.running) || is_known(&self.shared.silent) {
            return Ok(());
        }
        if !self.file.head(&named)?.get(b"Subtype").and_then(Object::as_name).is_ok_and(|kind| kind == b"Form") {
            self.shared.silent.extend(id);
            return Ok(());
        }
        let object = self.file.resolve(&named)?;
        let Object::Stream(form) = &*object else { return Ok(()) };
        self.file.budget.unpack(FORM_COST)?;
        let own = self.file.dictionary(&form.dict, b"Resources")?;
        let program = self.file.data(form)?;
        let matrix = self.file.value(&form.dict, b"Matrix")?;
        let before = self.state.clone();
        if let Ok(items) = matrix.as_array() {
            let mut given = UNIT;
            given.iter_mut().zip(items).for_each(|(place, item)| *place = item.as_float().map_or(0.0, f64::from));
            self.state.place = times(&given, &self.state.place);
        }
        self.running.extend(id);
        let before_it = self.spoken;
        self.program(&program, if own.is_empty() { resources } else { &own })?;
        if let Some(id) = id {
            self.running.remove(&id);
            if self.spoken == before_it {
                self.shared.silent.insert(id);
            }
        }
        self.state = before;
        Ok(())
    }

    fn mark(&mut self, operands: &[Object], resources: &Dictionary) -> Result<()> {
        if self.marks.len() >= MAX_STACK {
            return Ok(());
        }
        let own = match operands.get(1) {
            Some(Object::Dictionary(own)) => own.clone(),
            Some(Object::Name(name)) => {
                let named = self.file.entry(resources, b"Properties", name)?.unwrap_or(Object::Null);
                let named = self.file.resolve(&named)?;
                self.file.copied(&named)?
            }
            _ => Dictionary::new(),
        };
        let text = own.get(b"ActualText").ok().and_then(|text| lopdf::decode_text_string(text).ok());
        self.marks.push(text.map(|text| Mark { text, first: None }));
        Ok(())
    }

    fn end_mark(&mut self) -> Result<()> {
        match self.marks.pop().flatten() {
            // It stands in the order it is read in, and the line will be turned round.
            Some(Mark { text, first: Some(first) }) => self.put(Glyph { text: logical(&text), ..first }),
            _ => Ok(()),
        }
    }
}

/// Passes over an image within a program: up to an `EI` that stands alone.
fn skip_image(lexer: &mut Lexer<'_>) {
    loop {
        let rest = lexer.rest();
        let Some(at) = find(rest, b"EI") else { return lexer.skip(rest.len()) };
        let alone = at.checked_sub(1).and_then(|before| rest.get(before)).is_some_and(|byte| is_space(*byte))
            && rest.get(at + 2).is_none_or(|byte| is_space(*byte));
        lexer.skip(at + 2);
        if alone {
            return;
        }
    }
}
