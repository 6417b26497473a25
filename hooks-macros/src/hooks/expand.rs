//! Writes the expansion of `hooks![…]`: one `let` per hook, a sorting network, and groups of eight.
//!
//! The network is Batcher's odd-even merge sort. Its comparators do not depend on the values: each is
//! `let (a, b) = order(a, b);`, and the type checker infers the types of the results.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::Path;
use syn::spanned::Spanned;

use super::parse::{Item, List};
use crate::{driver, rank};

/// How many hooks run in one body.
const WIDTH: usize = 8;

pub(super) fn list(list: &List) -> TokenStream {
    let names: Vec<Ident> = (0..list.items.len())
        .map(|nth| format_ident!("__hook{nth}"))
        .collect();
    let listed = list
        .items
        .iter()
        .enumerate()
        .map(|(nth, item)| listed((nth, list.items.len() > 1), &names[nth], item));
    let comparators = network(list.items.len()).map(|(a, b)| {
        let (a, b) = (&names[a], &names[b]);
        quote!(let (#a, #b) = ::hooks_core::__private::order(#a, #b);)
    });
    let take = if list.spread.is_some() {
        quote!(into_placed)
    } else {
        quote!(into_hook)
    };
    let hooks: Vec<_> = names.iter().map(|name| quote!(#name.#take())).collect();
    let mut group = grouped(&hooks);
    if let Some(source) = &list.spread {
        // A mistake in a source is reported at the source.
        let span = source.span();
        let arguments = quote!(&__agreed, #group, #source);
        group = quote_spanned!(span=> ::hooks_core::__private::spread(#arguments));
    }
    let known = (list.items.len() > 1).then(|| quote!(let __known = ::hooks_core::Known;));
    let names_differ = names_differ(&list.items);
    quote!({
        #(#names_differ)*
        let __agreed = ::hooks_core::__private::Agreed::NOTHING_YET;
        #known
        #(#listed)*
        #(#comparators)*
        ::hooks_core::Pipeline::new(#group)
    })
}

/// Takes one hook into the list, at its position, and makes it agree on a vocabulary with the hooks before it.
///
/// In a list of several, the hook is sorted, which fails if its type is hidden.
fn listed((nth, is_sorted): (usize, bool), name: &Ident, item: &Item) -> TokenStream {
    let span = item.hook.span();
    let [high, low] = [nth / 16, nth % 16].map(Literal::usize_unsuffixed);
    let position =
        quote!((::hooks_core::__private::Nibble<#high>, ::hooks_core::__private::Nibble<#low>));
    let priority = item.priority.as_ref().map(|priority| {
        quote_spanned! {driver::at(priority.span())=>
            const __PRIORITY: ::core::primitive::i32 = #priority;
        }
    });
    let take = |hook: TokenStream, priority: Option<&TokenStream>| {
        // A mistake in a hook is reported at the hook, so the whole call has its span.
        let listed = match priority {
            None => {
                quote_spanned!(span=> <_ as ::hooks_core::__private::Listing>::listed::<#position>(#hook))
            }
            Some(constant) => {
                let rank = item.priority.as_ref().map(rank::of);
                let listed = quote_spanned! {span=>
                    <_ as ::hooks_core::__private::Listing>::listed_at::<#position, #rank>(#hook)
                };
                quote!({ #constant #listed })
            }
        };
        let arguments = quote!(__vocabulary, __agreed);
        let joined =
            quote_spanned!(span=> <_ as ::hooks_core::SharesVocabulary<_>>::joined(#arguments));
        let sorted = is_sorted.then(|| {
            let arguments = quote!(__known, #name, __vocabulary);
            let sorted = quote_spanned!(span=> <_ as ::hooks_core::Sorts<_, _>>::sorts(#arguments));
            quote!(let (__known, #name, __vocabulary) = #sorted;)
        });
        quote! {
            let (#name, __vocabulary) = #listed;
            #sorted
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
    let absent = take(quote!(::hooks_core::__private::ABSENT), None);
    quote! {
        #[cfg(all(#(#cfgs),*))]
        let (#name, __agreed) = { #present (#name, __agreed) };
        #[cfg(not(all(#(#cfgs),*)))]
        let (#name, __agreed) = { #absent (#name, __agreed) };
    }
}

/// Functions of one name from two modules: unless an option names one of them otherwise, nobody could tell them apart.
fn names_differ(items: &[Item]) -> Vec<TokenStream> {
    // A variable has no module, and a constant no small letter: neither is a type.
    let is_function = |path: &&Path| {
        let last = path.segments.last().map(|last| last.ident.to_string());
        path.segments.len() > 1 && last.is_some_and(|last| last.starts_with(char::is_lowercase))
    };
    let paths: Vec<_> = items
        .iter()
        .filter_map(Item::path)
        .filter(is_function)
        .collect();
    let mut all = Vec::new();
    for (nth, path) in paths.iter().enumerate() {
        let last = path.segments.last();
        let is_twin = |other: &&&Path| other.segments.last() == last;
        let Some(first) = paths[..nth].iter().find(is_twin) else {
            continue;
        };
        let text = path.to_token_stream().to_string().replace(' ', "");
        let message = format!(
            "two hooks of this list have one name: give this one another, as `{text}.named(\"…\")`"
        );
        let [first, second] = [first, path].map(|path| quote!(<#path as ::hooks_core::Hook>::NAME));
        all.push(quote_spanned! {last.span()=>
            const _: () = ::core::assert!(!::hooks_core::__private::is_same(#first, #second), #message);
        });
    }
    all
}

/// Groups hooks eight wide, and the groups again, until one is left.
fn grouped(hooks: &[TokenStream]) -> TokenStream {
    let group = |members: &[TokenStream]| quote!(::hooks_core::__private::Group::new(&__agreed, (#(#members,)*)));
    if hooks.len() <= WIDTH {
        return group(hooks);
    }
    grouped(&hooks.chunks(WIDTH).map(group).collect::<Vec<_>>())
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
