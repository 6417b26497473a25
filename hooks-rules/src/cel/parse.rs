//! Parses an expression into a tree.

use std::ops::Range;
use std::sync::OnceLock;

use crate::pattern::Regex;

use super::expression::{Mistake, MistakeKind};
use super::functions::Function;
use super::lex::{CelToken, tokens};
use super::literal::Literal;

/// The maximum number of brackets that are open at once.
const MOST_BRACKETS: usize = 40;
/// How deep the parts of an expression may lie in each other. Long sums are deep, too.
const MOST_DEPTH: usize = 250;

/// A part of an expression, with its place in the text.
#[derive(Debug)]
pub struct Expr {
    /// Its place in the text.
    pub at: Range<usize>,
    /// What it is.
    pub kind: Kind,
    depth: usize,
}

/// What a part is.
#[derive(Debug)]
#[expect(missing_docs, reason = "only what compiles rules reads them")]
pub enum Kind {
    Literal(Literal),
    /// A name that a loop gives to each value.
    Local,
    /// A variable, and keys: the parser knows only the variable, and the checker adds the keys.
    Path(String, Vec<String>),
    Field(Box<Expr>, String),
    Has(Box<Expr>, String),
    Index(Box<[Expr; 2]>),
    Not(Box<Expr>),
    Negative(Box<Expr>),
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Binary(&'static str, Box<[Expr; 2]>),
    If(Box<[Expr; 3]>),
    /// A function that the checker has found. The value on which it is called is the first argument.
    Call(&'static Function, Vec<Expr>),
    /// A call before the checker has seen it.
    Unchecked {
        name: String,
        is_method: bool,
        args: Vec<Expr>,
    },
    /// `matches` with a literal, which is compiled when it is first needed.
    Matches(Box<Expr>, Box<(String, OnceLock<Option<Regex>>)>),
    List(Vec<Expr>),
    Map(Vec<(Expr, Expr)>),
    Loop(Box<Loop>),
}

/// A loop: a macro that is called on a list or a map.
#[derive(Debug)]
#[expect(missing_docs, reason = "only what compiles rules reads them")]
pub struct Loop {
    /// The macro: `all`, `exists`, `exists_one`, `map` or `filter`.
    pub does: &'static str,
    pub range: Expr,
    pub name: String,
    /// The condition of `map(x, condition, value)`.
    pub only: Option<Expr>,
    pub body: Expr,
}

/// Returns an operator between two values, and how it binds: a higher number binds more.
fn operator(token: &CelToken) -> Option<(&'static str, u8)> {
    let sign = match token {
        CelToken::Sign(sign) => sign,
        CelToken::Name(name) if name == "in" => "in",
        _ => return None,
    };
    let binds = match sign {
        "||" => 1,
        "&&" => 2,
        "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" => 3,
        "+" | "-" => 4,
        "*" | "/" | "%" => 5,
        _ => return None,
    };
    Some((sign, binds))
}

impl Expr {
    pub(super) fn new(at: Range<usize>, kind: Kind) -> Self {
        let mut expr = Expr { at, kind, depth: 0 };
        expr.depth = 1 + expr.parts().map(|part| part.depth).max().unwrap_or(0);
        expr
    }

    /// Returns the direct parts.
    #[must_use]
    pub fn children(&self) -> Vec<&Expr> {
        match &self.kind {
            Kind::Literal(_) | Kind::Local | Kind::Path(..) => Vec::new(),
            Kind::Field(of, _)
            | Kind::Has(of, _)
            | Kind::Not(of)
            | Kind::Negative(of)
            | Kind::Matches(of, ..) => vec![of],
            Kind::Index(both) | Kind::Binary(_, both) => both.iter().collect(),
            Kind::If(three) => three.iter().collect(),
            Kind::And(all)
            | Kind::Or(all)
            | Kind::List(all)
            | Kind::Call(_, all)
            | Kind::Unchecked { args: all, .. } => all.iter().collect(),
            Kind::Map(entries) => entries
                .iter()
                .flat_map(|(key, value)| [key, value])
                .collect(),
            Kind::Loop(each) => {
                let both = [&each.range, &each.body];
                both.into_iter().chain(&each.only).collect()
            }
        }
    }

    /// Returns the direct parts, for changes.
    pub(super) fn parts(&mut self) -> Box<dyn Iterator<Item = &mut Expr> + '_> {
        match &mut self.kind {
            Kind::Literal(_) | Kind::Local | Kind::Path(..) => Box::new(std::iter::empty()),
            Kind::Field(of, _)
            | Kind::Has(of, _)
            | Kind::Not(of)
            | Kind::Negative(of)
            | Kind::Matches(of, ..) => Box::new(std::iter::once(&mut **of)),
            Kind::Index(both) | Kind::Binary(_, both) => Box::new(both.iter_mut()),
            Kind::If(three) => Box::new(three.iter_mut()),
            Kind::And(all)
            | Kind::Or(all)
            | Kind::List(all)
            | Kind::Call(_, all)
            | Kind::Unchecked { args: all, .. } => Box::new(all.iter_mut()),
            Kind::Map(entries) => {
                Box::new(entries.iter_mut().flat_map(|(key, value)| [key, value]))
            }
            Kind::Loop(each) => {
                let both = [&mut each.range, &mut each.body];
                Box::new(both.into_iter().chain(&mut each.only))
            }
        }
    }
}

struct Parser<'t> {
    text: &'t str,
    tokens: Vec<(Range<usize>, CelToken)>,
    next: usize,
    /// How many brackets are open.
    open: usize,
}

type Parsed<T = Expr> = Result<T, Mistake>;

/// Parses an expression.
pub(super) fn parse(text: &str) -> Parsed {
    let mut parser = Parser {
        text,
        tokens: tokens(text)?,
        next: 0,
        open: 0,
    };
    let expr = parser.expression()?;
    match parser.token() {
        CelToken::End => Ok(expr),
        _ => Err(parser.unexpected("an operator")),
    }
}

impl Parser<'_> {
    fn token(&self) -> &CelToken {
        &self.tokens[self.next].1
    }

    /// Returns where the next word begins.
    fn start(&self) -> usize {
        self.tokens[self.next].0.start
    }

    /// Returns where the last word ends.
    fn end(&self) -> usize {
        self.tokens[self.next.saturating_sub(1)].0.end
    }

    fn unexpected(&self, expected: &str) -> Mistake {
        let at = self.tokens[self.next].0.clone();
        let why = match (self.token(), self.text.split_whitespace().last()) {
            (CelToken::End, None) => "the expression is empty".to_owned(),
            (CelToken::End, Some(last)) => {
                format!("the expression ends too early: something is missing after `{last}`")
            }
            _ => format!(
                "unexpected `{}`, expected {expected}",
                &self.text[at.clone()]
            ),
        };
        Mistake::new(MistakeKind::Syntax, at, why)
    }

    /// Takes a sign, if it comes next.
    fn takes(&mut self, sign: &str) -> bool {
        let is_next = matches!(self.token(), CelToken::Sign(next) if *next == sign);
        self.next += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, sign: &str) -> Parsed<()> {
        if self.takes(sign) {
            return Ok(());
        }
        Err(self.unexpected(&format!("`{sign}`")))
    }

    /// Makes a part that ends with the last word.
    fn made(&self, start: usize, kind: Kind) -> Parsed {
        let expr = Expr::new(start..self.end(), kind);
        if expr.depth > MOST_DEPTH {
            let why = format!("more than {MOST_DEPTH} parts of the expression contain each other");
            return Err(Mistake::new(MistakeKind::TooLarge, expr.at, why));
        }
        Ok(expr)
    }

    /// Reads what is in brackets, or after a sign.
    fn within(&mut self, reads: fn(&mut Self) -> Parsed) -> Parsed {
        self.open += 1;
        if self.open > MOST_BRACKETS {
            let why = format!("more than {MOST_BRACKETS} brackets are open at once");
            let at = self.start()..self.text.len();
            return Err(Mistake::new(MistakeKind::TooLarge, at, why));
        }
        let expr = reads(self)?;
        self.open -= 1;
        Ok(expr)
    }

    fn expression(&mut self) -> Parsed {
        let start = self.start();
        let condition = self.binary(1)?;
        if !self.takes("?") {
            return Ok(condition);
        }
        let yes = self.within(|parser| parser.binary(1))?;
        self.expect(":")?;
        let no = self.within(Parser::expression)?;
        self.made(start, Kind::If(Box::new([condition, yes, no])))
    }

    /// Reads operators that bind at least so much.
    fn binary(&mut self, least: u8) -> Parsed {
        let start = self.start();
        let mut left = self.unary()?;
        while let Some((operator, binds)) =
            operator(self.token()).filter(|(_, binds)| *binds >= least)
        {
            self.next += 1;
            let right = self.binary(binds + 1)?;
            left = self.made(start, joined(operator, left, right))?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed {
        let start = self.start();
        if self.takes("!") {
            let of = self.within(Parser::unary)?;
            return self.made(start, Kind::Not(Box::new(of)));
        }
        if !self.takes("-") {
            return self.member();
        }
        let number = match self.token() {
            CelToken::Whole(whole) => 0_i64.checked_sub_unsigned(*whole).map(Literal::Int),
            CelToken::Value(Literal::Double(number)) => Some(Literal::Double(-number)),
            _ => {
                let of = self.within(Parser::unary)?;
                return self.made(start, Kind::Negative(Box::new(of)));
            }
        };
        let number = number.ok_or_else(|| self.too_large())?;
        self.next += 1;
        let number = self.made(start, Kind::Literal(number))?;
        self.after(number)
    }

    fn too_large(&self) -> Mistake {
        let at = self.tokens[self.next].0.clone();
        let why = format!("`{}` is too large for an `int`", &self.text[at.clone()]);
        Mistake::new(MistakeKind::Syntax, at, why)
    }

    fn member(&mut self) -> Parsed {
        let first = self.primary()?;
        self.after(first)
    }

    /// Reads the fields, keys and calls after a value.
    fn after(&mut self, mut of: Expr) -> Parsed {
        let start = of.at.start;
        loop {
            if self.takes("[") {
                let key = self.within(Parser::expression)?;
                self.expect("]")?;
                of = self.made(start, Kind::Index(Box::new([of, key])))?;
            } else if self.takes(".") {
                let (CelToken::Name(name) | CelToken::Quoted(name)) = self.token().clone() else {
                    return Err(self.unexpected("a name"));
                };
                self.next += 1;
                of = if self.takes("(") {
                    let args = self.list(")")?;
                    self.method(of, name, args)?
                } else {
                    self.made(start, Kind::Field(Box::new(of), name))?
                };
            } else {
                return Ok(of);
            }
        }
    }

    /// Reads parts up to a closing bracket. A comma may follow the last one.
    fn list(&mut self, close: &str) -> Parsed<Vec<Expr>> {
        let mut parts = Vec::new();
        while !self.takes(close) {
            parts.push(self.within(Parser::expression)?);
            if !self.takes(",") {
                self.expect(close)?;
                break;
            }
        }
        Ok(parts)
    }

    fn primary(&mut self) -> Parsed {
        let start = self.start();
        let kind = match self.token().clone() {
            CelToken::Value(value) => Kind::Literal(value),
            CelToken::Whole(whole) => match i64::try_from(whole) {
                Ok(whole) => Kind::Literal(Literal::Int(whole)),
                Err(_) => return Err(self.too_large()),
            },
            CelToken::Name(name) => match &*name {
                "true" | "false" => Kind::Literal(Literal::Bool(name == "true")),
                "null" => Kind::Literal(Literal::Null),
                "in" => return Err(self.unexpected("a value")),
                _ => Kind::Path(name, Vec::new()),
            },
            CelToken::Sign("(") => {
                self.next += 1;
                let mut expr = self.within(Parser::expression)?;
                self.expect(")")?;
                expr.at = start..self.end();
                return Ok(expr);
            }
            CelToken::Sign("[") => {
                self.next += 1;
                let parts = self.list("]")?;
                return self.made(start, Kind::List(parts));
            }
            CelToken::Sign("{") => {
                self.next += 1;
                return self.map(start);
            }
            _ => return Err(self.unexpected("a value")),
        };
        self.next += 1;
        match kind {
            Kind::Path(name, _) if self.takes("(") => {
                let args = self.list(")")?;
                self.function(start, name, args)
            }
            kind => self.made(start, kind),
        }
    }

    fn map(&mut self, start: usize) -> Parsed {
        let mut entries = Vec::new();
        while !self.takes("}") {
            let key = self.within(Parser::expression)?;
            self.expect(":")?;
            entries.push((key, self.within(Parser::expression)?));
            if !self.takes(",") {
                self.expect("}")?;
                break;
            }
        }
        self.made(start, Kind::Map(entries))
    }

    /// A call, whose function the checker finds.
    fn call(&self, start: usize, name: String, is_method: bool, args: Vec<Expr>) -> Parsed {
        let call = Kind::Unchecked {
            name,
            is_method,
            args,
        };
        self.made(start, call)
    }

    fn function(&self, start: usize, name: String, mut args: Vec<Expr>) -> Parsed {
        if name != "has" || args.len() != 1 {
            return self.call(start, name, false, args);
        }
        let Expr { at, kind, .. } = args.remove(0);
        if let Kind::Field(of, key) = kind {
            return self.made(start, Kind::Has(of, key));
        }
        let why = "`has` asks for a field, as in `has(args.path)`";
        Err(Mistake::new(MistakeKind::Syntax, at, why))
    }

    fn method(&self, of: Expr, name: String, mut args: Vec<Expr>) -> Parsed {
        let start = of.at.start;
        let does = match (&*name, args.len()) {
            ("all", 2) => "all",
            ("exists", 2) => "exists",
            ("exists_one" | "existsOne", 2) => "exists_one",
            ("map", 2 | 3) => "map",
            ("filter", 2) => "filter",
            _ => {
                args.insert(0, of);
                return self.call(start, name, true, args);
            }
        };
        let (name, mut args) = (args.remove(0), args.into_iter());
        let Kind::Path(each, _) = name.kind else {
            let why = "a loop gives each value a name: write a plain name here, such as `x`";
            return Err(Mistake::new(MistakeKind::Syntax, name.at, why));
        };
        let only = args.len().checked_sub(2).and_then(|_| args.next());
        let Some(body) = args.next() else {
            return Err(self.unexpected("a value"));
        };
        let each = Loop {
            does,
            range: of,
            name: each,
            only,
            body,
        };
        self.made(start, Kind::Loop(Box::new(each)))
    }
}

/// Joins two parts by an operator. Of `a && b && c`, all parts lie side by side.
fn joined(operator: &'static str, left: Expr, right: Expr) -> Kind {
    match (operator, left.kind) {
        ("&&", Kind::And(mut parts)) => {
            parts.push(right);
            Kind::And(parts)
        }
        ("||", Kind::Or(mut parts)) => {
            parts.push(right);
            Kind::Or(parts)
        }
        (operator, kind) => {
            let left = Expr { kind, ..left };
            match operator {
                "&&" => Kind::And(vec![left, right]),
                "||" => Kind::Or(vec![left, right]),
                _ => Kind::Binary(operator, Box::new([left, right])),
            }
        }
    }
}
