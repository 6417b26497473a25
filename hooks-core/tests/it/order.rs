//! The order of a pipeline is a stable sort by priority, highest first, for any list.

use hooks_core::{HookEvent, hook, hooks};

/// What every hook of a list writes its place in the list to.
struct Trail {
    ran: Vec<usize>,
}

#[derive(HookEvent)]
enum OrderEvent<'a> {
    #[intercept]
    Trail(&'a Trail),
}

/// A number that looks random, between `-range` and `range`: a small range makes ties.
#[expect(
    clippy::cast_possible_truncation,
    reason = "`range` is at most `i32::MAX`"
)]
const fn random(seed: u64, nth: usize, range: u64) -> i32 {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (nth as u64 + 1);
    let mut round = 0;
    while round < 3 {
        state ^= state >> 30;
        state = state.wrapping_mul(0xBF58_476D_1CE4_E5B9);
        state ^= state >> 27;
        round += 1;
    }
    (state % (2 * range + 1))
        .cast_signed()
        .wrapping_sub(range.cast_signed()) as i32
}

/// Writes a test for each list: its hooks, and their order against that of a stable sort.
macro_rules! lists {
    ($($list:ident $seed:literal $range:literal [$($hook:ident $nth:literal)*])*) => { $(
        #[test]
        fn $list() {
            $(
                #[hook(priority = random($seed, $nth, $range))]
                fn $hook(trail: &mut Trail) {
                    trail.ran.push($nth);
                }
            )*
            let mut trail = Trail { ran: Vec::new() };
            assert!(hooks![$($hook),*].intercept_now(&(), &mut trail).is_continue());

            let mut sorted: Vec<usize> = vec![$($nth),*];
            sorted.sort_by_key(|&nth| std::cmp::Reverse(random($seed, nth, $range)));
            assert_eq!(trail.ran, sorted);
        }
    )* };
}

lists! {
    list_of_0 1 5 []
    list_of_1 2 5 [a 0]
    list_of_2 3 5 [a 0 b 1]
    list_of_2_equal 4 0 [a 0 b 1]
    list_of_3 5 1 [a 0 b 1 c 2]
    list_of_3_far 6 0x7FFF_FFFF [a 0 b 1 c 2]
    list_of_4 7 2 [a 0 b 1 c 2 d 3]
    list_of_5 8 2 [a 0 b 1 c 2 d 3 e 4]
    list_of_6 9 300 [a 0 b 1 c 2 d 3 e 4 f 5]
    list_of_7 10 3 [a 0 b 1 c 2 d 3 e 4 f 5 g 6]
    list_of_7_equal 11 0 [a 0 b 1 c 2 d 3 e 4 f 5 g 6]
    list_of_8 12 4 [a 0 b 1 c 2 d 3 e 4 f 5 g 6 h 7]
    list_of_8_far 13 0x7FFF_FFFF [a 0 b 1 c 2 d 3 e 4 f 5 g 6 h 7]
    list_of_9 14 4 [a 0 b 1 c 2 d 3 e 4 f 5 g 6 h 7 i 8]
    list_of_9_far 15 0x7FFF_FFFF [a 0 b 1 c 2 d 3 e 4 f 5 g 6 h 7 i 8]
    list_of_12 16 4 [a 0 b 1 c 2 d 3 e 4 f 5 g 6 h 7 i 8 j 9 k 10 l 11]
    list_of_12_more 17 2 [a 0 b 1 c 2 d 3 e 4 f 5 g 6 h 7 i 8 j 9 k 10 l 11]
    list_of_16 18 0xFFFF [a 0 b 1 c 2 d 3 e 4 f 5 g 6 h 7 i 8 j 9 k 10 l 11 m 12 n 13 o 14 p 15]
    list_of_17 19 3 [a 0 b 1 c 2 d 3 e 4 f 5 g 6 h 7 i 8 j 9 k 10 l 11 m 12 n 13 o 14 p 15 q 16]
    list_of_17_equal 20 0 [a 0 b 1 c 2 d 3 e 4 f 5 g 6 h 7 i 8 j 9 k 10 l 11 m 12 n 13 o 14 p 15 q 16]
    list_of_17_far 21 0x7FFF_FFFF
        [a 0 b 1 c 2 d 3 e 4 f 5 g 6 h 7 i 8 j 9 k 10 l 11 m 12 n 13 o 14 p 15 q 16]
    list_of_24 22 6
        [a 0 b 1 c 2 d 3 e 4 f 5 g 6 h 7 i 8 j 9 k 10 l 11 m 12 n 13 o 14 p 15 q 16 r 17 s 18 t 19
        u 20 v 21 w 22 x 23]
    list_of_26 23 1
        [a 0 b 1 c 2 d 3 e 4 f 5 g 6 h 7 i 8 j 9 k 10 l 11 m 12 n 13 o 14 p 15 q 16 r 17 s 18 t 19
        u 20 v 21 w 22 x 23 y 24 z 25]
    list_of_26_far 24 0x7FFF_FFFF
        [a 0 b 1 c 2 d 3 e 4 f 5 g 6 h 7 i 8 j 9 k 10 l 11 m 12 n 13 o 14 p 15 q 16 r 17 s 18 t 19
        u 20 v 21 w 22 x 23 y 24 z 25]
}

#[test]
fn the_extremes_are_in_order() {
    #[hook(priority = i32::MIN)]
    fn lowest(trail: &mut Trail) {
        trail.ran.push(4);
    }
    #[hook(priority = -1)]
    fn below(trail: &mut Trail) {
        trail.ran.push(3);
    }
    #[hook]
    fn zero(trail: &mut Trail) {
        trail.ran.push(2);
    }
    #[hook(priority = 1)]
    fn above(trail: &mut Trail) {
        trail.ran.push(1);
    }
    #[hook(priority = i32::MAX)]
    fn highest(trail: &mut Trail) {
        trail.ran.push(0);
    }
    let mut trail = Trail { ran: Vec::new() };
    let hooks = hooks![below, lowest, highest, zero, above];
    assert!(hooks.intercept_now(&(), &mut trail).is_continue());
    assert_eq!(trail.ran, [0, 1, 2, 3, 4]);
}

#[test]
fn a_priority_at_the_list_goes_over_the_hooks_own() {
    #[hook(priority = 100)]
    fn first(trail: &mut Trail) {
        trail.ran.push(1);
    }
    #[hook(priority = -100)]
    fn last(trail: &mut Trail) {
        trail.ran.push(2);
    }
    const LATE: i32 = -1_000;
    let order = |hooks: &dyn Fn(&mut Trail)| {
        let mut trail = Trail { ran: Vec::new() };
        hooks(&mut trail);
        trail.ran
    };
    assert_eq!(
        order(&|trail| assert!(hooks![last, first].intercept_now(&(), trail).is_continue())),
        [1, 2]
    );
    assert_eq!(
        order(&|trail| {
            let hooks = hooks![first @ LATE, last];
            assert!(hooks.intercept_now(&(), trail).is_continue());
        }),
        [2, 1]
    );
    assert_eq!(
        order(&|trail| {
            let hooks = hooks![first, last @ 50 + 51];
            assert!(hooks.intercept_now(&(), trail).is_continue());
        }),
        [2, 1]
    );
}
