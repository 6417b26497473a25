//! A long list needs no `recursion_limit`: the order is found pair by pair, and groups nest three deep.

use hooks_core::agent::{AgentContext, BeforeToolCall};
use hooks_core::{hook, hooks};

/// A hook that adds its own number, in a module, since a macro cannot make identifiers.
macro_rules! numbered {
    ($($module:ident $n:literal)*) => { $(
        mod $module {
            use super::*;

            #[hook(priority = ($n * 37) % 128, name = concat!("run ", $n))]
            pub fn run(call: &mut BeforeToolCall) {
                call.id.push_str(concat!($n, " "));
            }
        }
    )* };
}
numbered! {
    h0 0 h1 1 h2 2 h3 3 h4 4 h5 5 h6 6 h7 7
    h8 8 h9 9 h10 10 h11 11 h12 12 h13 13 h14 14 h15 15
    h16 16 h17 17 h18 18 h19 19 h20 20 h21 21 h22 22 h23 23
    h24 24 h25 25 h26 26 h27 27 h28 28 h29 29 h30 30 h31 31
    h32 32 h33 33 h34 34 h35 35 h36 36 h37 37 h38 38 h39 39
    h40 40 h41 41 h42 42 h43 43 h44 44 h45 45 h46 46 h47 47
    h48 48 h49 49 h50 50 h51 51 h52 52 h53 53 h54 54 h55 55
    h56 56 h57 57 h58 58 h59 59 h60 60 h61 61 h62 62 h63 63
    h64 64 h65 65 h66 66 h67 67 h68 68 h69 69 h70 70 h71 71
    h72 72 h73 73 h74 74 h75 75 h76 76 h77 77 h78 78 h79 79
    h80 80 h81 81 h82 82 h83 83 h84 84 h85 85 h86 86 h87 87
    h88 88 h89 89 h90 90 h91 91 h92 92 h93 93 h94 94 h95 95
    h96 96 h97 97 h98 98 h99 99 h100 100 h101 101 h102 102 h103 103
    h104 104 h105 105 h106 106 h107 107 h108 108 h109 109 h110 110 h111 111
    h112 112 h113 113 h114 114 h115 115 h116 116 h117 117 h118 118 h119 119
    h120 120 h121 121 h122 122 h123 123 h124 124 h125 125 h126 126 h127 127
}

fn main() {
    let hooks = hooks![
        h0::run, h1::run, h2::run, h3::run, h4::run, h5::run, h6::run, h7::run,
        h8::run, h9::run, h10::run, h11::run, h12::run, h13::run, h14::run, h15::run,
        h16::run, h17::run, h18::run, h19::run, h20::run, h21::run, h22::run, h23::run,
        h24::run, h25::run, h26::run, h27::run, h28::run, h29::run, h30::run, h31::run,
        h32::run, h33::run, h34::run, h35::run, h36::run, h37::run, h38::run, h39::run,
        h40::run, h41::run, h42::run, h43::run, h44::run, h45::run, h46::run, h47::run,
        h48::run, h49::run, h50::run, h51::run, h52::run, h53::run, h54::run, h55::run,
        h56::run, h57::run, h58::run, h59::run, h60::run, h61::run, h62::run, h63::run,
        h64::run, h65::run, h66::run, h67::run, h68::run, h69::run, h70::run, h71::run,
        h72::run, h73::run, h74::run, h75::run, h76::run, h77::run, h78::run, h79::run,
        h80::run, h81::run, h82::run, h83::run, h84::run, h85::run, h86::run, h87::run,
        h88::run, h89::run, h90::run, h91::run, h92::run, h93::run, h94::run, h95::run,
        h96::run, h97::run, h98::run, h99::run, h100::run, h101::run, h102::run, h103::run,
        h104::run, h105::run, h106::run, h107::run, h108::run, h109::run, h110::run, h111::run,
        h112::run, h113::run, h114::run, h115::run, h116::run, h117::run, h118::run, h119::run,
        h120::run, h121::run, h122::run, h123::run, h124::run, h125::run, h126::run, h127::run,
    ];
    let mut call = BeforeToolCall::default();
    assert!(hooks.intercept_now(&AgentContext::new("s1"), &mut call).is_continue());
    let ran: Vec<u32> = call.id.split_whitespace().map(|n| n.parse().unwrap()).collect();
    let mut expected: Vec<u32> = (0..128).collect();
    expected.sort_by_key(|n| std::cmp::Reverse((n * 37) % 128));
    assert_eq!(ran, expected);
}
