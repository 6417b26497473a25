//! Mistakes with their places, faults with their kinds, and what an expression may cost.

use std::cell::Cell;

use hooks_rules::cel::{Cel, Fault, Known, MistakeKind, Type, Value, Variables};
use serde_json::{Value as Json, json};

use crate::common::{Fields, compiled};

/// The variables of the mistakes.
const KNOWN: Known<'_> = Known {
    variables: &[("args", Type::Any), ("cx", Type::Map), ("name", Type::Text)],
    context: &[("cwd", Type::Text), ("depth", Type::Int)],
};

/// A text, the kind of its mistake, the part that is wrong, and a part of the message.
const MISTAKES: &[(&str, MistakeKind, &str, &str)] = &[
    ("", MistakeKind::Syntax, "", "the expression is empty"),
    (
        "args.x ==",
        MistakeKind::Syntax,
        "",
        "something is missing after `==`",
    ),
    ("args.x = 1", MistakeKind::Syntax, "= 1", "write `==`"),
    (
        "args.x) == 1",
        MistakeKind::Syntax,
        ")",
        "unexpected `)`, expected an operator",
    ),
    ("name == 'a", MistakeKind::Syntax, "'a", "has no end"),
    (
        r"name == '\q'",
        MistakeKind::Syntax,
        r"'\q'",
        "is not an escape",
    ),
    (
        "9223372036854775808 > 1",
        MistakeKind::Syntax,
        "9223372036854775808",
        "too large",
    ),
    (
        "1 < 12ab",
        MistakeKind::Syntax,
        "12ab",
        "`12ab` is not a number",
    ),
    (
        "has(name)",
        MistakeKind::Syntax,
        "name",
        "`has` asks for a field",
    ),
    (
        "args.all(1, true)",
        MistakeKind::Syntax,
        "1",
        "a plain name",
    ),
    (
        "true && arg.x == 1",
        MistakeKind::Name,
        "arg",
        "did you mean `args`?",
    ),
    (
        "1 == cx.dep",
        MistakeKind::Field,
        "cx.dep",
        "did you mean `depth`?",
    ),
    (
        "cx['dep'] == 1",
        MistakeKind::Field,
        "cx['dep']",
        "`cx` has no field `dep`",
    ),
    (
        "args.a.lower() == ''",
        MistakeKind::Function,
        "args.a.lower()",
        "did you mean `lowerAscii`?",
    ),
    (
        "contains(name, 'a')",
        MistakeKind::Function,
        "contains(name, 'a')",
        "`value.contains(…)`",
    ),
    (
        "name.int() == 1",
        MistakeKind::Function,
        "name.int()",
        "`int(value)`",
    ),
    (
        "name.trim(1) == ''",
        MistakeKind::Function,
        "name.trim(1)",
        "so many arguments",
    ),
    (
        "cx.depth.contains('a')",
        MistakeKind::Type,
        "cx.depth.contains('a')",
        "`contains` does not take int and string",
    ),
    (
        "1 + name == 'a'",
        MistakeKind::Type,
        "1 + name",
        "`+` does not take int and string",
    ),
    (
        "args.x && name",
        MistakeKind::Type,
        "args.x && name",
        "this is string",
    ),
    (
        "name.matches('(')",
        MistakeKind::Pattern,
        "'('",
        "unclosed group",
    ),
    (
        "name.matches('\\\\pL{220}')",
        MistakeKind::Pattern,
        "'\\\\pL{220}'",
        "more than 256 KiB",
    ),
    (
        "args.x.all(a, args.y.all(b, a == b))",
        MistakeKind::TooLarge,
        "args.x.all(a, args.y.all(b, a == b))",
        "a loop",
    ),
    (
        "name.replace('a', name)",
        MistakeKind::TooLarge,
        "name.replace('a', name)",
        "text in quotes",
    ),
];

#[test]
fn a_mistake_has_a_kind_and_its_place() {
    for &(text, kind, place, message) in MISTAKES {
        let mistake = Cel::compile(text, &KNOWN).expect_err(text);
        assert_eq!(mistake.kind, kind, "{text}: {mistake}");
        assert_eq!(&text[mistake.at.clone()], place, "{text}");
        assert!(mistake.message.contains(message), "{text}: {mistake}");
    }
}

#[test]
fn what_may_become_too_large_is_a_mistake() {
    let long = format!("name == '{}'", "a".repeat(2048));
    let deep = |open: &str, close: &str| {
        let (open, close) = (open.repeat(41), close.repeat(41));
        format!("{open}name{close}")
    };
    for text in [
        long,
        deep("(", ")"),
        deep("[", "]"),
        deep("!", ""),
        ["name"; 260].join("+"),
        "name.replace('a', 'bbbbbbbb').replace('b', 'ccccccccc')".into(),
        "name.split('').map(x, x.replace('', 'bbbbbbbb')).join('ccccccc')".into(),
    ] {
        let mistake = Cel::compile(&text, &KNOWN).expect_err(&text);
        assert_eq!(mistake.kind, MistakeKind::TooLarge, "{text}: {mistake}");
    }
}

#[test]
fn the_deepest_expressions_fit_a_small_stack() {
    let deep = |open: &str, close: &str| {
        let (open, close) = (open.repeat(38), close.repeat(38));
        format!("{open}a{close}")
    };
    for text in [
        deep("(", ")"),
        deep("a?b:", ""),
        deep("[a||b&&c==d+e*", "]"),
        deep("-", ""),
        deep("{a:", "}"),
        ["a"; 249].join("+"),
        ["a"; 400].join("||"),
    ] {
        let fields = json!({ "a": 1, "b": 2, "c": 3, "d": 4, "e": 5 });
        let thread = std::thread::Builder::new().stack_size(1024 * 1024);
        let evaluated = thread.spawn(move || {
            let fields = Fields(fields);
            let cel = compiled(&text, &fields).unwrap();
            let _ = cel.evaluate(&fields);
        });
        evaluated.unwrap().join().unwrap();
    }
}

#[test]
fn a_fault_has_a_kind() {
    let fields = Fields(json!({ "args": { "n": 1, "text": "a", "list": [1], "min": i64::MIN } }));
    let types = |of, given: &[Type]| Fault::Type {
        of,
        given: given.to_vec(),
    };
    for (text, fault) in [
        ("args.missing.more == 1", Fault::NoKey("missing".into())),
        ("args['x'] == 1", Fault::NoKey("x".into())),
        (
            "args.n + args.text == 1",
            types("+", &[Type::Int, Type::Text]),
        ),
        (
            "args.n.contains('a')",
            types("contains", &[Type::Int, Type::Text]),
        ),
        ("args.text ? true : false", Fault::NotBool(Type::Text)),
        ("args.n", Fault::NotBool(Type::Int)),
        ("args.min - 1 == 0", Fault::Overflow("-")),
        ("1 / (args.n - 1) == 0", Fault::DivisionByZero),
        ("args.list[1] == 0", Fault::OutOfRange),
        (
            "int(args.text) == 0",
            Fault::Conversion("a".into(), Type::Int),
        ),
        ("{args.n: 1, 1: 2} == {}", Fault::RepeatedKey("1".into())),
        (
            "args.list == [] || args.text.matches('(' + '')",
            Fault::Pattern("unclosed group".into()),
        ),
    ] {
        let failed = compiled(text, &fields)
            .unwrap()
            .is_true(&fields)
            .expect_err(text);
        assert_eq!((&*failed.expression, failed.fault), (text, fault));
    }
    let failed = compiled("b'a'", &fields)
        .unwrap()
        .evaluate(&fields)
        .unwrap_err();
    assert_eq!(failed.fault, Fault::NotJson(Type::Bytes));
    assert_eq!(
        failed.to_string(),
        "`b'a'` cannot be evaluated: bytes is not a value of JSON: write `string(…)`"
    );
}

/// Arguments, and what all conditions of their event have read.
struct Counted(Json, Cell<usize>);

impl Variables for Counted {
    fn read(&self, variable: &str, keys: &[String]) -> Result<Value<'_>, Fault> {
        let value = keys.first().map_or(Some(&self.0), |key| self.0.get(key));
        let missing = || Fault::NoKey(variable.into());
        value.map(Value::from).ok_or_else(missing)
    }

    fn spend(&self, bytes: usize) -> usize {
        self.1.set(self.1.get() + bytes);
        self.1.get()
    }
}

#[test]
fn what_expressions_read_has_a_bound_for_one_and_for_all() {
    let fault = |args: Json, text: &str| {
        let counted = Counted(args, Cell::new(0));
        let cel = Cel::compile(text, &KNOWN).unwrap();
        cel.is_true(&counted).map_err(|failed| failed.fault)
    };
    let large = || json!({ "a": "x".repeat(250_000), "l": vec!["x"; 200] });
    assert_eq!(
        fault(large(), &["args.a<'x'"; 150].join("||")),
        Err(Fault::TooMuch)
    );
    assert_eq!(
        fault(large(), "args.l.exists(x, args.a == x)"),
        Err(Fault::TooMuch)
    );
    assert_eq!(
        fault(large(), "args.l.exists(x, args.l[0] != x)"),
        Ok(false)
    );
    // To compile an expression costs more than to read it.
    let patterns = json!({ "l": vec!["a"; 3000] });
    assert_eq!(
        fault(patterns, "args.l.all(x, 'a'.matches(x))"),
        Err(Fault::TooMuch)
    );

    let counted = Counted(large(), Cell::new(0));
    let cel = Cel::compile("args.a == 'x'", &KNOWN).unwrap();
    let times = (0..2000)
        .take_while(|_| cel.is_true(&counted).is_ok())
        .count();
    assert_eq!(times, (256 << 20) / 250_002 + 1);
    assert_eq!(cel.is_true(&counted).unwrap_err().fault, Fault::Spent);
}

#[test]
fn an_expression_knows_what_it_reads() {
    let cel = |text: &str| Cel::compile(text, &KNOWN).unwrap();
    let reads = cel("args.a.b == 1 && (!has(args.c) || args.c == args.d) && 'name' == ''");
    assert_eq!(reads.arguments(), ["a", "d"]);
    assert!(reads.reads("args") && !reads.reads("name"));
    assert!(!cel("[1].exists(args, args == 1)").reads("args"));
}
