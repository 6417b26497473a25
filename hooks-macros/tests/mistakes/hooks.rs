// arrow_for_at
hooks![lower => 10];
//~ `=`: expected `,` or `@` after a hook: a list is written `hooks![first, second @ 10]`

// attribute
hooks![
        #[inline]
        lower,
    ];
//~ `inline`: only `#[cfg(…)]` may stand before a hook in a list

// closure
hooks![lower, |call: &BeforeToolCall| {}];
//~ `|call: &BeforeToolCall| {}`: a closure becomes a hook with `intercept_fn::<Event, _>(|cx, event| …)` or `observe_fn::<Event, _>(|cx, event| …)`

// comma_first
hooks![, lower];
//~ `,`: expected a hook before this `,`

// comma_missing
hooks![lower upper];
//~ `upper`: expected `,` or `@` after a hook: a list is written `hooks![first, second @ 10]`

// comma_twice
hooks![lower,, &lower];
//~ `,`: expected a hook before this `,`

// hook_missing
hooks![@ 10];
//~ `@`: expected a hook before `@`: write `hook @ 10`

// list_in_list
hooks![lower, lower];
//~ `lower`: `lower` is written twice in this list, and would run twice: remove one

// priority_after_equals
hooks![lower = 10];
//~ `=`: a priority in a list is written `hook @ 10`

// priority_in_words
hooks![lower @ "high"];
//~ `"high"`: a priority is a whole number, known when the program is compiled: write `50`, or a constant as `priority::HIGH`

// priority_missing
hooks![lower @];
//~ `@`: expected a priority after `@`: write `hook @ 10`

// priority_twice
hooks![lower @ 1 @ 2];
//~ `@`: expected `,` or `@` after a hook: a list is written `hooks![first, second @ 10]`

// several_mistakes
hooks![#[inline] lower, |_, _| {}, lower];
//~ `inline`: only `#[cfg(…)]` may stand before a hook in a list
//~ `|_, _| {}`: a closure becomes a hook with `intercept_fn::<Event, _>(|cx, event| …)` or `observe_fn::<Event, _>(|cx, event| …)`

// spread_not_last
hooks![..plugins, lower];
//~ `lower`: `..source` goes last in a list: its hooks find their places between all hooks

// spread_of_nothing
hooks![..];
//~ `.`: expected a source of hooks after `..`: write `..registry`

// spread_twice
hooks![..plugins, ..others];
//~ `.`: a list has one spread: put the hooks of both sources into one, or write `source @ 10` for one of them

// spread_with_priority
hooks![..plugins @ 10];
//~ `@`: the hooks of a source have priorities of their own: write `..source` without `@`, or `source @ 10` to run them all at one place

// syntax_error
hooks![lower, 1 +];
//~ `+`: unexpected end of input, expected an expression

// the_same_path_three_times
hooks![lower, lower @ 10, registry, lower, registry];
//~ `lower`: `lower` is written twice in this list, and would run twice: remove one
//~ `lower`: `lower` is written twice in this list, and would run twice: remove one
//~ `registry`: `registry` is written twice in this list, and would run twice: remove one

// the_same_path_twice
hooks![lower, lower];
//~ `lower`: `lower` is written twice in this list, and would run twice: remove one

// the_same_path_under_a_condition
hooks![lower, verbose.then_some(lower)];
//~ `lower`: `lower` is written twice in this list, and would run twice: remove one
