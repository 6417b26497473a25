//! What the macros say about mistakes, and at which token.
//!
//! `tests/mistakes/` has a file for each macro. A mistake is a paragraph: its name, the code, and after `//~` the token
//! and the message. `UPDATE_EXPECT=1 cargo test -p hooks-macros` writes the messages anew. Read them as a stranger
//! would.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Attribute, Item};

macro_rules! mistakes {
    ($($test:ident: $file:literal;)*) => { $(
        #[test]
        fn $test() {
            let told = told(include_str!(concat!("../tests/mistakes/", $file)));
            expect_test::expect_file![concat!("../tests/mistakes/", $file)].assert_eq(&told);
        }
    )* };
}

mistakes! {
    a_wrong_hook_is_told_at_its_own_token: "hook.rs";
    a_wrong_list_is_told_at_its_own_token: "hooks.rs";
    a_wrong_vocabulary_is_told_at_its_own_token: "hook_event.rs";
}

#[test]
fn a_list_holds_256_hooks() {
    let list = |hooks: usize| {
        let hooks = vec![quote!(&hook,); hooks];
        messages(crate::hooks::expand(quote!(hooks_core, #(#hooks)*)))
    };
    assert!(list(256).is_empty());
    let [(_, message)] = &list(257)[..] else {
        panic!("one message");
    };
    assert!(message.starts_with("a list holds at most 256 hooks"));
}

#[test]
fn a_vocabulary_has_256_events() {
    let enumeration = |events: usize| {
        let events = (0..events).map(|nth| {
            let [variant, payload] =
                ["Event", "Payload"].map(|name| quote::format_ident!("{name}{nth}"));
            quote!(#[observe] #variant(&'a #payload))
        });
        let derived = crate::hook_event::expand(quote!(enum ShopEvent<'a> { #(#events,)* }));
        messages(crate::driver::or_compile_error(derived))
    };
    assert!(enumeration(256).is_empty());
    let [(_, message)] = &enumeration(257)[..] else {
        panic!("one message");
    };
    assert!(message.starts_with("a vocabulary has at most 256 events"));
}

/// The corpus, with the messages of today.
fn told(corpus: &str) -> String {
    let paragraphs = corpus.split("\n\n// ").map(|paragraph| {
        let mut told: Vec<_> = paragraph
            .lines()
            .filter(|line| !line.starts_with("//~"))
            .map(str::to_owned)
            .collect();
        let code = told[1..].join("\n");
        let items = syn::parse_file(&code).expect(paragraph).items;
        let all: Vec<_> = items.into_iter().map(expanded).flat_map(messages).collect();
        assert!(!all.is_empty(), "no mistake:\n{paragraph}");
        for (token, message) in all {
            told.push(format!("//~ `{token}`: {message}"));
        }
        told.join("\n") + "\n"
    });
    paragraphs.collect::<Vec<_>>().join("\n// ")
}

/// An item, expanded by the macro that it uses.
fn expanded(mut item: Item) -> TokenStream {
    if let Item::Macro(list) = &item {
        let list = &list.mac.tokens;
        return crate::hooks::expand(quote!(hooks_core, #list));
    }
    let attribute = match &mut item {
        Item::Fn(item) => item.attrs.remove(0),
        Item::Impl(item) => item.attrs.remove(0),
        Item::Struct(item) => item.attrs.remove(0),
        Item::Enum(item) => item.attrs.remove(0),
        Item::Union(item) => item.attrs.remove(0),
        Item::Trait(item) => item.attrs.remove(0),
        Item::Const(item) => item.attrs.remove(0),
        Item::Mod(item) => item.attrs.remove(0),
        other => panic!("no macro: {}", other.to_token_stream()),
    };
    if attribute.path().is_ident("derive") {
        return crate::driver::or_compile_error(crate::hook_event::expand(item.to_token_stream()));
    }
    crate::hook::expand(options(&attribute), item.to_token_stream())
}

fn options(attribute: &Attribute) -> TokenStream {
    match &attribute.meta {
        syn::Meta::List(list) => list.tokens.clone(),
        _ => TokenStream::new(),
    }
}

/// The errors in generated code: the token that each is at, and its message.
fn messages(code: TokenStream) -> Vec<(String, String)> {
    let mut all = Vec::new();
    let mut last = None;
    for token in code {
        if let TokenTree::Group(group) = &token {
            match last.take() {
                Some(at) => {
                    let message: syn::LitStr = syn::parse2(group.stream()).expect("a message");
                    all.push((at, message.value()));
                }
                None => all.extend(messages(group.stream())),
            }
        }
        if let TokenTree::Ident(ident) = &token
            && ident == "compile_error"
        {
            last = Some(ident.span().source_text().unwrap_or_default());
        }
    }
    all
}
