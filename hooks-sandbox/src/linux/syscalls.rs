//! Which system calls the program may make: the table `syscalls.txt` as a filter of the kernel.
//!
//! Everything that the table does not name fails. So a call that a later kernel adds is refused until the table names
//! it.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr as _;

use rustix::io::Errno;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, apply_filter, sock_filter,
};
use syscalls::Sysno;

use crate::error::ErrorContext as _;
use crate::{SandboxError, trace};

const TABLE: &str = include_str!("../syscalls.txt");

/// The conditions of a call: one rule must hold, and none is always true.
type SystemCallRules = BTreeMap<i64, Vec<SeccompRule>>;

/// The name, the group, the conditions and the reason of each line.
fn lines() -> impl Iterator<Item = [&'static str; 4]> {
    let lines = TABLE
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.filter_map(|line| {
        let (name, rest) = line.split_once(' ')?;
        let (group, rest) = rest.trim_start().split_once(' ')?;
        let (conditions, reason) = rest.trim_start().split_once(' ')?;
        Some([name, group, conditions, reason.trim_start()])
    })
}

/// Restricts this thread, and everything that it starts, to the table's calls. `applies` says which of its groups do.
///
/// A tracer sees the signal that answers a refused call, and turns it into the error that there is without a tracer.
pub(crate) fn confine(is_traced: bool, applies: impl Fn(&str) -> bool) -> Result<(), SandboxError> {
    let (mut allowed, mut missing) = (SystemCallRules::new(), SystemCallRules::new());
    let mut unconditional = BTreeSet::new();
    for [name, group, conditions, _] in lines() {
        // Some calls exist on other architectures only.
        let Some(call) = Sysno::from_str(name).ok().map(|call| i64::from(call.id())) else {
            continue;
        };
        if group == "missing" {
            missing.entry(call).or_default();
        } else if !applies(group) {
            continue;
        }
        let rules = allowed.entry(call).or_default();
        if conditions == "-" {
            unconditional.insert(call);
        } else {
            let all: Option<_> = conditions.split(',').map(condition).collect();
            rules.extend(SeccompRule::new(
                all.ok_or(conditions)
                    .or_fail("cannot read a condition of a system call")?,
            ));
        }
    }
    allowed.retain(|call, _| !unconditional.contains(call));
    let error = |error: Errno| SeccompAction::Errno(error.raw_os_error().unsigned_abs());
    let (mut refused, mut watched) = (error(Errno::PERM), SystemCallRules::new());
    if is_traced {
        refused = SeccompAction::Trap;
        watched = trace::watched().or_fail("cannot watch system calls")?;
    }
    // The strictest of the filters decides, so what is missing or watched passes the last one.
    let none = BTreeSet::new();
    install(
        watched,
        &none,
        SeccompAction::Allow,
        SeccompAction::Trace(0),
    )
    .and_then(|()| install(missing, &none, SeccompAction::Allow, error(Errno::NOSYS)))
    .and_then(|()| install(allowed, &unconditional, refused, SeccompAction::Allow))
    .or_fail("cannot filter system calls (seccomp)")
}

/// Installs a filter, in front of whose calls there are those that are always allowed.
fn install(
    calls: SystemCallRules,
    always: &BTreeSet<i64>,
    others: SeccompAction,
    these: SeccompAction,
) -> seccompiler::Result<()> {
    let architecture = std::env::consts::ARCH.try_into()?;
    let filter = SeccompFilter::new(calls, others, these, architecture)?;
    let mut program = BpfProgram::try_from(filter)?;
    // After the number is there.
    let is_load = |code: &sock_filter| code.code == 0x20 && code.k == 0;
    if let Some(load) = program.iter().position(is_load) {
        let rest = program.split_off(load + 1);
        program.extend(ranges(always));
        program.extend(rest);
    }
    apply_filter(&program)
}

/// A program that allows numbers, and goes on with others. The kernel tries a filter with each number before it installs
/// it, so a few ranges cost much less than a comparison for each.
fn ranges(numbers: &BTreeSet<i64>) -> Vec<sock_filter> {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for number in numbers
        .iter()
        .filter_map(|number| u32::try_from(*number).ok())
    {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => ranges.push((number, number)),
        }
    }
    let code = |code, jt, jf, k| sock_filter { code, jt, jf, k };
    let each = ranges.into_iter().flat_map(|(first, last)| {
        // At least the first, not more than the last: return that it is allowed.
        [
            code(0x35, 0, 2, first),
            code(0x25, 1, 0, last),
            code(0x06, 0, 0, 0x7fff_0000),
        ]
    });
    each.collect()
}

/// Reads a condition such as `1&0xf=1`.
fn condition(text: &str) -> Option<SeccompCondition> {
    let number = |text: &str| match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    };
    let (left, value) = text.split_once('=')?;
    let (argument, operator) = match (left.strip_suffix('!'), left.split_once('&')) {
        (Some(argument), _) => (argument, SeccompCmpOp::Ne),
        (_, Some((argument, mask))) => (argument, SeccompCmpOp::MaskedEq(number(mask)?)),
        _ => (left, SeccompCmpOp::Eq),
    };
    // The kernel ignores the upper half of a number, and a program may write anything there; not so of a pointer.
    let (length, value) = match value {
        "null" => (SeccompCmpArgLen::Qword, 0),
        value => (SeccompCmpArgLen::Dword, number(value)?),
    };
    SeccompCondition::new(argument.parse().ok()?, length, operator, value).ok()
}

#[cfg(test)]
mod tests {
    use std::str::FromStr;

    use super::*;

    #[test]
    fn each_line_is_known_sorted_and_has_a_reason() {
        let known = |name| {
            syscalls::x86_64::Sysno::from_str(name).is_ok()
                || syscalls::aarch64::Sysno::from_str(name).is_ok()
        };
        let groups = ["always", "view", "island", "network", "unix", "missing"];
        let text = TABLE
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'));
        assert_eq!(text.clone().count(), lines().count());
        assert!(text.is_sorted());
        for [name, group, conditions, reason] in lines() {
            assert!(known(name), "{name} is not a system call");
            assert!(groups.contains(&group), "{name}: {group} is not a group");
            assert!(!reason.is_empty(), "{name} has no reason");
            let all = conditions.split(',').filter(|text| *text != "-");
            assert!(
                all.clone().all(|text| condition(text).is_some()),
                "{name}: {conditions}"
            );
        }
    }

    #[test]
    fn a_condition_is_read_as_it_is_written() {
        let read = |text| format!("{:?}", condition(text).unwrap());
        assert!(read("1&0xf=1").contains("MaskedEq(15)"));
        assert!(read("1!=0x5412").contains("Ne") && read("1!=0x5412").contains("21522"));
        assert!(read("2=null").contains("Qword") && read("2=7").contains("Dword"));
        assert!(
            condition("x=1").is_none() && condition("1").is_none() && condition("9=1").is_none()
        );
    }
}
