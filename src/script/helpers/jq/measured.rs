//! jq filters rewritten so that whatever can repeat, grow or nest reports to a budget first.
//!
//! Steps are counted where work multiplies: at every call of a definition, every element of `.[]`, every `,`, every turn
//! of `reduce`, every number of `range`. Operators that can grow a value look at the sizes of their operands first.

use jaq_core::{
    load::{
        lex::StrPart,
        parse::{BinaryOp, Def, Pattern, Term},
    },
    ops::Math,
    path::{Part, Path},
};

type Source<'s> = Term<&'s str>;

/// Counts a step; gives its input.
pub(super) const STEP: &str = "step!";
/// Refuses an input that would be too long as text.
pub(super) const FITS: &str = "fits!";
/// `+ - * / %` that look at sizes.
pub(super) const OPERATORS: [&str; 5] = ["plus!", "minus!", "times!", "over!", "rest!"];
/// A variable no filter can name.
const OPERAND: &str = "$operand!";

/// A definition that counts its calls.
pub(super) fn definition(def: Def<&str>) -> Def<&str> {
    Def { name: def.name, args: def.args, body: stepped(term(def.body)) }
}

/// A filter that counts its steps.
pub(super) fn term(source: Source<'_>) -> Source<'_> {
    match source {
        Term::Id | Term::Num(_) | Term::Break(_) | Term::Var(_) => source,
        Term::Recurse => counted(Term::Recurse),
        Term::Str(format, parts) => text(format, parts),
        Term::Arr(inner) => Term::Arr(inner.map(|inner| Box::new(term(*inner)))),
        Term::Obj(fields) => {
            Term::Obj(fields.into_iter().map(|(key, value)| (term(key), value.map(self::term))).collect())
        }
        Term::Neg(inner) => Term::Neg(Box::new(term(*inner))),
        Term::BinOp(left, op, right) => binary(term(*left), op, term(*right)),
        Term::Label(name, inner) => Term::Label(name, Box::new(term(*inner))),
        Term::Fold(kind, source, pattern, updates) => {
            let updates = updates.into_iter().map(|update| stepped(term(update))).collect();
            Term::Fold(kind, Box::new(term(*source)), self::pattern(pattern), updates)
        }
        Term::TryCatch(tried, caught) => Term::TryCatch(Box::new(term(*tried)), caught.map(|c| Box::new(term(*c)))),
        Term::IfThenElse(cases, otherwise) => {
            let cases = cases.into_iter().map(|(test, then)| (term(test), term(then))).collect();
            Term::IfThenElse(cases, otherwise.map(|o| Box::new(term(*o))))
        }
        Term::Def(defs, inner) => Term::Def(defs.into_iter().map(definition).collect(), Box::new(term(*inner))),
        Term::Call(name, arguments) => Term::Call(name, arguments.into_iter().map(term).collect()),
        Term::Path(inner, path) => self::path(term(*inner), path),
    }
}

fn pipe<'s>(first: Source<'s>, then: Source<'s>) -> Source<'s> {
    Term::BinOp(Box::new(first), BinaryOp::Pipe(None), Box::new(then))
}

/// A step before each run.
fn stepped(inner: Source<'_>) -> Source<'_> {
    pipe(Term::Call(STEP, Vec::new()), inner)
}

/// A step for each output.
fn counted(inner: Source<'_>) -> Source<'_> {
    pipe(inner, Term::Call(STEP, Vec::new()))
}

fn pattern(pattern: Pattern<&str>) -> Pattern<&str> {
    match pattern {
        Pattern::Var(_) => pattern,
        Pattern::Arr(parts) => Pattern::Arr(parts.into_iter().map(self::pattern).collect()),
        Pattern::Obj(parts) => {
            Pattern::Obj(parts.into_iter().map(|(key, part)| (term(key), self::pattern(part))).collect())
        }
    }
}

fn path<'s>(inner: Source<'s>, path: Path<Source<'s>>) -> Source<'s> {
    let iterates = path.0.iter().any(|(part, _)| matches!(part, Part::Range(None, None)));
    let parts = path.0.into_iter().map(|(part, opt)| {
        let part = match part {
            Part::Index(index) => Part::Index(term(index)),
            Part::Range(from, to) => Part::Range(from.map(term), to.map(term)),
        };
        (part, opt)
    });
    let path = Term::Path(Box::new(inner), Path(parts.collect()));
    if iterates { counted(path) } else { path }
}

/// What is interpolated must be short enough for all of it to fit.
fn text<'s>(format: Option<&'s str>, parts: Vec<StrPart<&'s str, Source<'s>>>) -> Source<'s> {
    let limit = match parts.len() {
        0..=2 => "500000",
        3..=16 => "60000",
        17..=256 => "4000",
        _ => "200",
    };
    let part = |part| match part {
        StrPart::Term(inner) => StrPart::Term(pipe(term(inner), Term::Call(FITS, vec![Term::Num(limit)]))),
        other => other,
    };
    Term::Str(format, parts.into_iter().map(part).collect())
}

fn operator(op: Math) -> &'static str {
    let [plus, minus, times, over, rest] = OPERATORS;
    match op {
        Math::Add => plus,
        Math::Sub => minus,
        Math::Mul => times,
        Math::Div => over,
        Math::Rem => rest,
    }
}

fn binary<'s>(left: Source<'s>, op: BinaryOp<&'s str>, right: Source<'s>) -> Source<'s> {
    match op {
        BinaryOp::Comma => stepped(Term::BinOp(Box::new(left), op, Box::new(right))),
        BinaryOp::Math(op) => Term::Call(operator(op), vec![left, right]),
        BinaryOp::UpdateMath(op) => {
            let changed = Term::Call(operator(op), vec![Term::Id, Term::Var(OPERAND)]);
            let update = Term::BinOp(Box::new(left), BinaryOp::Update, Box::new(changed));
            Term::BinOp(Box::new(right), BinaryOp::Pipe(Some(Pattern::Var(OPERAND))), Box::new(update))
        }
        BinaryOp::Pipe(Some(bound)) => {
            Term::BinOp(Box::new(left), BinaryOp::Pipe(Some(pattern(bound))), Box::new(right))
        }
        other => Term::BinOp(Box::new(left), other, Box::new(right)),
    }
}
