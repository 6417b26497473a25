//! Writes the expansion of `hooks![…]`: one `let` per hook, a sorting network, and groups of eight.
//!
//! The network is Batcher's odd-even merge sort. Its comparators do not depend on the values: each is
//! `let (a, b) = order(a, b);`, and the type checker infers the types of the results.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::Path;
use syn::spanned::Spanned;

use super::parse::{HookItem, HookList};
use crate::{driver, rank};

/// How many hooks run in one body.
const WIDTH: usize = 8;

pub(super) fn list(list: &HookList) -> TokenStream {
    let names: Vec<Ident> = (0..list.items.len())
        .map(|nth| format_ident!("__hook{nth}"))
        .collect();
    // What is alone in a list has no place among others.
    let has_places = list.items.len() > 1 || list.spread.is_some();
    let listed = list
        .items
        .iter()
        .enumerate()
        .map(|(nth, item)| listed((nth, has_places), &names[nth], item));
    let comparators = network(list.items.len()).map(|(a, b)| {
        let (a, b) = (&names[a], &names[b]);
        quote!(let (#a, #b) = __core::order(#a, #b);)
    });
    let (ordered, mut group) = grouped(&names, list.spread.is_some());
    if let Some(source) = &list.spread {
        // A mistake in a source is reported at the source.
        let span = source.span();
        let arguments = quote!(&__agreed, #group, #source);
        group = quote_spanned!(span=> __core::spread(#arguments));
    }
    let names_differ = names_differ(&list.items);
    let HookList { core, included, .. } = list;
    quote!({
        use #core::__private as __core;
        #included
        #(#names_differ)*
        let __agreed = __core::Agreed::NOTHING_YET;
        #(#listed)*
        #(#comparators)*
        #ordered
        __core::Pipeline::new(#group)
    })
}

/// Takes one hook into the list, at its position, and makes it agree on a vocabulary with the hooks before it.
///
/// One of several needs a place: its own priority, or one that the list gives it.
fn listed((nth, has_places): (usize, bool), name: &Ident, item: &HookItem) -> TokenStream {
    let span = item.hook.span();
    let [high, low] = [nth / 16, nth % 16].map(Literal::usize_unsuffixed);
    let position = quote!((__core::Nibble<#high>, __core::Nibble<#low>));
    let priority = item.priority.as_ref().map(|priority| {
        quote_spanned! {driver::at(priority.span())=>
            const __PRIORITY: ::core::primitive::i32 = #priority;
        }
    });
    let take = |hook: TokenStream, priority: Option<&TokenStream>| {
        // A mistake in a hook is reported at the hook, so the whole call has its span.
        let listed = match priority {
            None => {
                let listed = Ident::new(if has_places { "listed" } else { "alone" }, span);
                quote_spanned!(span=> <_ as __core::Listing>::#listed::<#position>(#hook))
            }
            Some(constant) => {
                let rank = item.priority.as_ref();
                let rank = rank.map(|priority| rank::of(&quote!(__core), priority));
                let listed = quote_spanned! {span=>
                    <_ as __core::Listing>::listed_at::<#position, #rank>(#hook)
                };
                quote!({ #constant #listed })
            }
        };
        // The vocabulary of hooks behind a type parameter can be agreed upon, and cannot agree.
        let arguments = if has_places {
            quote!(__vocabulary, __agreed)
        } else {
            quote!(__agreed, __vocabulary)
        };
        let joined = quote_spanned!(span=> <_ as __core::SharesVocabulary<_>>::joined(#arguments));
        quote! {
            let (#name, __vocabulary) = #listed;
            let __agreed = #joined;
        }
    };
    let cfgs: Vec<_> = item
        .attrs
        .iter()
        .filter_map(|attr| attr.meta.require_list().ok())
        .map(|cfg| &cfg.tokens)
        .collect();
    if cfgs.is_empty() {
        return take(item.hook.to_token_stream(), priority.as_ref());
    }
    let present = take(item.hook.to_token_stream(), priority.as_ref());
    let absent = take(quote!(__core::ABSENT), None);
    quote! {
        #[cfg(all(#(#cfgs),*))]
        let (#name, __agreed) = { #present (#name, __agreed) };
        #[cfg(not(all(#(#cfgs),*)))]
        let (#name, __agreed) = { #absent (#name, __agreed) };
    }
}

/// Functions of one name from two modules: unless an option names one of them otherwise, a log could not tell them
/// apart.
fn names_differ(items: &[HookItem]) -> Vec<TokenStream> {
    // A variable has no module, and a constant no small letter: neither is a type.
    let is_function = |path: &&Path| {
        let last = path.segments.last().map(|last| last.ident.to_string());
        path.segments.len() > 1 && last.is_some_and(|last| last.starts_with(char::is_lowercase))
    };
    let paths: Vec<_> = items
        .iter()
        .filter_map(HookItem::path)
        .filter(is_function)
        .collect();
    let mut all = Vec::new();
    for (nth, path) in paths.iter().enumerate() {
        let last = path.segments.last();
        let is_twin = |other: &&&Path| other.segments.last() == last;
        let Some(first) = paths[..nth].iter().find(is_twin) else {
            continue;
        };
        let text = driver::text(path);
        let message = format!(
            "two hooks of this list have one name: give this one another, as `{text}.named(\"…\")`"
        );
        let [first, second] = [first, path].map(|path| quote!(<#path as __core::Hook>::NAME));
        all.push(quote_spanned! {last.span()=>
            const _: () = ::core::assert!(!__core::is_same(#first, #second), #message);
        });
    }
    all
}

/// The order of a list, and its hooks in that order: a group of eight, of groups of eight, and so on.
///
/// The hooks of lists in the list take their own places. A hook that is alone has none to take.
fn grouped(names: &[Ident], is_spread: bool) -> (Option<TokenStream>, TokenStream) {
    if names.is_empty() || (names.len() == 1 && !is_spread) {
        let hooks = quote!((#(#names.into_hook(),)*));
        return (None, quote!(__core::Group::new(&__agreed, #hooks)));
    }
    let mut tuples: Vec<_> = names
        .chunks(WIDTH)
        .map(|names| quote!((#(#names,)*)))
        .collect();
    while tuples.len() > 1 {
        let wider = tuples.chunks(WIDTH);
        tuples = wider
            .map(|tuples| quote!(__core::Tuples((#(#tuples,)*))))
            .collect();
    }
    let ordered = quote! {
        let __hooks = #(#tuples)*;
        let __order = __core::order_of(&__hooks);
    };
    let form = Ident::new(
        if is_spread { "Spreads" } else { "Plain" },
        Span::call_site(),
    );
    let form = quote!(<_ as __core::Arrange<_, __core::#form, _>>);
    let hooks = quote!(#form::arrange(__order, &__agreed, __hooks));
    (Some(ordered), hooks)
}

/// The comparators of Batcher's odd-even merge sort for any number of values, in order.
fn network(len: usize) -> impl Iterator<Item = (usize, usize)> {
    let powers = |below: usize| {
        std::iter::successors(Some(1), |p| Some(p * 2)).take_while(move |&p| p < below)
    };
    powers(len).flat_map(move |sorted| {
        let mut strides: Vec<usize> = powers(sorted + 1).collect();
        strides.reverse();
        strides.into_iter().flat_map(move |stride| {
            let start = stride % sorted;
            (start..len.saturating_sub(stride))
                .step_by(2 * stride)
                .flat_map(move |from| from..(from + stride).min(len - stride))
                .map(move |low| (low, low + stride))
                .filter(move |(low, high)| low / (2 * sorted) == high / (2 * sorted))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::network;

    /// By the zero-one principle, a network sorts if it sorts all lists of two values.
    #[test]
    fn the_network_sorts_any_number_of_hooks() {
        for len in 0..=12 {
            for list in 0_u32..1 << len {
                let mut values: Vec<u32> = (0..len).map(|nth| list >> nth & 1).collect();
                for (low, high) in network(len) {
                    if values[low] > values[high] {
                        values.swap(low, high);
                    }
                }
                assert!(values.is_sorted(), "{len} hooks, list {list:b}: {values:?}");
            }
        }
    }

    #[test]
    fn a_list_of_256_needs_few_thousand_comparators() {
        assert_eq!(network(8).count(), 19);
        assert_eq!(network(256).count(), 3839);
    }
}
