//! Tests: `[ … ]` and `[[ … ]]`. A test of a file lists the file. An index that may run a command is rejected.

use crate::evaluate::{Access, CommandArg, Result, ScriptEvaluator};
use crate::parse::syntax::Word;
use crate::value::Argument;

/// Records that a test asks for a file, which may be unknown.
fn ask(this: &mut ScriptEvaluator<'_>, path: &Argument) {
    if !matches!(path, Argument::Unknown { .. } | Argument::Number) {
        this.touch(path, Access::List);
    }
}

/// Whether a test with this operator asks for a file.
fn asks_for_file(operator: &str) -> bool {
    let letter = operator.strip_prefix('-').unwrap_or_default();
    letter.len() == 1 && "abcdefghkprsuwxGLNOS".contains(letter)
}

fn compares_files(operator: &str) -> bool {
    matches!(operator, "-nt" | "-ot" | "-ef")
}

fn compares_numbers(operator: &str) -> bool {
    matches!(operator, "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge")
}

/// What zsh and ksh evaluate as an expression, in which an index may run a command, has to be a number.
fn evaluate(this: &mut ScriptEvaluator<'_>, value: &Argument) {
    if !value.is_number() {
        this.unknown("some shells evaluate what is beside a comparison of numbers: set it to a number first, as by `wc -l`, or compare texts");
    }
}

/// Evaluates `[ … ]`, in which the number of arguments decides what each of them is.
pub(crate) fn bracket(this: &mut ScriptEvaluator<'_>, args: &[CommandArg]) {
    let args = match args {
        [all @ .., last] if last.known() == Some("]") => all,
        all => all,
    };
    if args.iter().any(|arg| !arg.value.is_one()) {
        return this.unknown(
            "a test needs quotes around a value that is only known at run time: write `[ -n \"$name\" ]`",
        );
    }
    let negations = args
        .iter()
        .take_while(|arg| arg.known() == Some("!"))
        .count();
    let is_operator = |text: &str| !text.starts_with('-') || text.len() == 3;
    let is_known = match &args[negations..] {
        [] | [_] => true,
        [operator, _] => operator.known().is_some(),
        [_, operator, _] => operator.known().is_some_and(is_operator),
        all => all.iter().all(|arg| arg.known().is_some()),
    };
    if !is_known
        || args
            .iter()
            .any(|arg| matches!(arg.known(), Some("-v" | "-R")))
    {
        return this.unknown("this test is only known at run time, or may run a command in an index: write `[ … ] && [ … ]`, with one operator in each");
    }
    for (nth, arg) in args.iter().enumerate() {
        let is_asked = |at: usize, of: fn(&str) -> bool| {
            args.get(at).and_then(CommandArg::known).is_some_and(of)
        };
        if is_asked(nth.wrapping_sub(1), |text| {
            asks_for_file(text) || compares_files(text)
        }) || is_asked(nth + 1, compares_files)
        {
            ask(this, &arg.value);
        }
        if is_asked(nth.wrapping_sub(1), |text| {
            compares_numbers(text) || text == "-t"
        }) || is_asked(nth + 1, compares_numbers)
        {
            evaluate(this, &arg.value);
        }
    }
}

/// Evaluates one test of `[[ … ]]`.
pub(crate) fn double_bracket(this: &mut ScriptEvaluator<'_>, words: &[Word]) -> Result<()> {
    this.look_at(&words[0].span);
    let operator = |word: &Word| word.literal().unwrap_or_default().to_owned();
    let not_seen =
        |operator: &str| format!("the test `{operator}` is not supported: write `[ … ]`");
    match words {
        [unary, operand] => {
            let asked = this.one(operand)?;
            match operator(unary).as_str() {
                unary if asks_for_file(unary) => ask(this, &asked),
                "-n" | "-z" | "!" => {}
                unary => this.unknown(not_seen(unary)),
            }
        }
        [left, binary, right] => {
            let left = this.one(left)?;
            match operator(binary).as_str() {
                "=" | "==" | "!=" => this.pattern(right)?,
                "=~" => expression(this, right)?,
                binary if compares_numbers(binary) => {
                    let right = this.one(right)?;
                    evaluate(this, &left);
                    evaluate(this, &right);
                }
                binary if compares_files(binary) => {
                    let right = this.one(right)?;
                    ask(this, &left);
                    ask(this, &right);
                }
                binary => this.unknown(not_seen(binary)),
            }
        }
        words => {
            for word in words {
                this.one(word)?;
            }
        }
    }
    this.dispute("some shells run `[[` as a program: write `[ … ]`");
    Ok(())
}

/// Evaluates the right side of `=~`. Quotes change the meaning of an expression, so it is written unchanged.
fn expression(this: &mut ScriptEvaluator<'_>, word: &Word) -> Result<()> {
    let text = this.shown(&word.span);
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"^$.+*?[]{},:/_-@=%".contains(&byte);
    let has_names = text.trim_end_matches('$').contains('$');
    if !text.bytes().all(is_plain) || has_names {
        let reason = "this expression is not supported: use letters, digits and `^$.+*?[]{}`";
        this.unknown(reason);
    }
    this.pattern(word)?;
    this.change(word.id).instead = Some(text.into());
    Ok(())
}
