//! The lists of hooks, once for all the ways to run them.
//!
//! Each list is a macro that hands its rows, a hook's name and its priority, to another macro, after what
//! that is given by the caller. A hook's name is also the tool that it blocks. The rows stand in the order
//! of their priorities, so that to run them by hand is to go through them.

/// Eight hooks. Two of the tools have names as long as that of the one that is called, so that texts are
/// compared and not lengths alone.
macro_rules! eight {
    ($with:ident!($($args:tt)*)) => {
        $with! { [$($args)*]
            shell 7, delete 6, write_file 5, browser 4, deploy 3, python 2, sql 1, send_mail 0,
        }
    };
}
pub(crate) use eight;

/// 1, 4, 16 or 64 hooks, whose tools all have names as long as that of the one that is called.
#[rustfmt::skip]
macro_rules! scaled {
    (1 $with:ident!($($args:tt)*)) => {
        $with! { [$($args)*]
            tool_00 63,
        }
    };
    (4 $with:ident!($($args:tt)*)) => {
        $with! { [$($args)*]
            tool_00 63, tool_01 62, tool_02 61, tool_03 60,
        }
    };
    (16 $with:ident!($($args:tt)*)) => {
        $with! { [$($args)*]
            tool_00 63, tool_01 62, tool_02 61, tool_03 60, tool_04 59, tool_05 58, tool_06 57, tool_07 56,
            tool_08 55, tool_09 54, tool_10 53, tool_11 52, tool_12 51, tool_13 50, tool_14 49, tool_15 48,
        }
    };
    (64 $with:ident!($($args:tt)*)) => {
        $with! { [$($args)*]
            tool_00 63, tool_01 62, tool_02 61, tool_03 60, tool_04 59, tool_05 58, tool_06 57, tool_07 56,
            tool_08 55, tool_09 54, tool_10 53, tool_11 52, tool_12 51, tool_13 50, tool_14 49, tool_15 48,
            tool_16 47, tool_17 46, tool_18 45, tool_19 44, tool_20 43, tool_21 42, tool_22 41, tool_23 40,
            tool_24 39, tool_25 38, tool_26 37, tool_27 36, tool_28 35, tool_29 34, tool_30 33, tool_31 32,
            tool_32 31, tool_33 30, tool_34 29, tool_35 28, tool_36 27, tool_37 26, tool_38 25, tool_39 24,
            tool_40 23, tool_41 22, tool_42 21, tool_43 20, tool_44 19, tool_45 18, tool_46 17, tool_47 16,
            tool_48 15, tool_49 14, tool_50 13, tool_51 12, tool_52 11, tool_53 10, tool_54 9, tool_55 8,
            tool_56 7, tool_57 6, tool_58 5, tool_59 4, tool_60 3, tool_61 2, tool_62 1, tool_63 0,
        }
    };
}
pub(crate) use scaled;

/// A row of a list as a type, for handlers that are generic over it.
pub(crate) trait Tool: Send + Sync + 'static {
    /// The tool.
    const NAME: &'static str;
    /// The priority of the hook that blocks it.
    const PRIORITY: i32;
    /// The same, as the place of an observer's note.
    const PLACE: usize;
}

macro_rules! tools {
    ([] $($name:ident $priority:literal,)*) => { $(
        #[expect(non_camel_case_types, reason = "named as its tool is")]
        pub(crate) enum $name {}

        impl Tool for $name {
            const NAME: &'static str = stringify!($name);
            const PRIORITY: i32 = $priority;
            const PLACE: usize = $priority;
        }
    )* };
}

/// The rows.
pub(crate) mod tools {
    use super::Tool;
    eight!(tools!());
    scaled!(64 tools!());
}
