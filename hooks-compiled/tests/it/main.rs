//! The tests of what compiled rules call. `hooks-derive-tests/rules` compares them with rules that are loaded.

mod layout;
