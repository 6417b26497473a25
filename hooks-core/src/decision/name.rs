//! The name of a hook that runs.

use alloc::borrow::Cow;

/// The name of a hook that runs.
#[derive(Debug, Clone, Copy)]
pub enum Name<'a> {
    /// Known at compile time.
    Static(&'static str),
    /// Known at run time.
    Given(&'a str),
}

impl<'a> Name<'a> {
    /// The name of hooks that hold it.
    #[inline(always)]
    #[expect(clippy::ptr_arg, reason = "a borrowed name is static")]
    pub(crate) const fn of(name: &'a Cow<'static, str>) -> Self {
        match name {
            Cow::Borrowed(name) => Name::Static(name),
            Cow::Owned(name) => Name::Given(name.as_str()),
        }
    }

    /// The name as text.
    #[must_use]
    #[inline(always)]
    pub const fn text(self) -> &'a str {
        match self {
            Name::Static(name) | Name::Given(name) => name,
        }
    }

    /// The name for a decision. A name that is known at compile time costs no allocation.
    #[must_use]
    #[inline(always)]
    pub fn owned(self) -> Cow<'static, str> {
        match self {
            Name::Static(name) => Cow::Borrowed(name),
            Name::Given(name) => Cow::Owned(name.into()),
        }
    }
}
