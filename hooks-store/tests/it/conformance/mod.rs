//! What every store does, whatever its database. A test is a function that takes a place; the list below is the only one.

mod admin;
mod audit;
mod budgets;
mod executions;
mod hooks;
mod import;
mod nodes;
mod revisions;
mod secrets;

use crate::common::Place;
use crate::postgres::Databases;

/// Runs each test on SQLite in a file, on SQLite in memory, and, all in one because they share a server, on Postgres.
macro_rules! conformance {
    ($($subject:ident: $($name:ident),+;)+) => {
        mod sqlite_in_a_file {
            $($(
                #[tokio::test(flavor = "multi_thread")]
                async fn $name() {
                    super::$subject::$name(super::Place::file()).await;
                }
            )+)+
        }

        mod sqlite_in_memory {
            $($(
                #[tokio::test(flavor = "multi_thread")]
                async fn $name() {
                    super::$subject::$name(super::Place::memory()).await;
                }
            )+)+
        }

        #[tokio::test(flavor = "multi_thread")]
        #[ignore = "it needs Postgres: the gate runs it"]
        async fn postgres() {
            let databases = Databases::find();
            let mut failed = Vec::new();
            $($(
                let place = databases.create(stringify!($name)).await;
                if tokio::spawn($subject::$name(place)).await.is_err() {
                    failed.push(stringify!($name));
                }
            )+)+
            assert!(failed.is_empty(), "on Postgres: {failed:?}");
        }
    };
}

conformance! {
    hooks:
        a_hook_has_versions_and_nothing_is_edited,
        the_text_of_a_hook_stays_unless_a_secret_is_in_it,
        a_write_names_the_version_that_it_follows,
        a_deleted_hook_leaves_its_name_and_can_come_back,
        deleted_hooks_are_listed_the_newest_first,
        every_mistake_is_told_with_its_path,
        a_scope_is_said_as_a_word_or_as_a_table,
        what_is_of_another_tenant_is_not_found,
        a_new_draft_creates_updates_and_deletes,
        any_text_can_be_a_name_and_a_comment;
    revisions:
        a_publication_makes_a_revision_and_an_unchanged_set_none,
        a_set_with_a_mistake_is_not_published,
        a_rollback_is_a_new_revision_and_the_draft_follows,
        a_rollback_keeps_what_was_not_published,
        another_mode_is_published_without_the_rest_of_the_draft,
        a_tenants_hook_takes_the_place_of_a_global_one_unless_that_is_mandatory,
        global_settings_are_not_switched_off_below,
        a_tenants_limits_do_not_touch_mandatory_hooks,
        a_tenant_cannot_veto_a_global_publication,
        two_publishers_at_once_never_mix,
        a_publication_ends_while_others_write,
        another_process_learns_of_a_publication,
        a_change_wakes_whom_it_concerns;
    executions:
        a_record_becomes_a_row,
        what_hooks_did_is_counted_when_it_is_written,
        a_store_has_one_recorder_which_closing_flushes,
        rows_are_found_page_by_page_and_by_what_they_are,
        a_long_text_is_cut_and_whole_in_the_detail,
        a_number_is_kept_as_it_is_or_refused,
        events_of_the_past_are_read_whole,
        the_hooks_that_did_not_run_are_bits,
        the_events_of_a_hook_are_found,
        payloads_are_redacted,
        a_chain_holds_and_can_be_verified_alone,
        two_processes_share_a_chain,
        retention_keeps_the_chain,
        a_chain_holds_while_retention_runs,
        a_clock_that_steps_back_changes_nothing,
        any_text_can_be_in_a_record;
    secrets:
        a_secret_goes_in_and_only_hooks_get_it,
        a_value_in_a_row_is_a_secret_of_its_version,
        secrets_of_every_foreign_form_are_moved_out,
        a_secret_is_of_the_level_of_its_hook,
        a_new_key_takes_over,
        a_secret_is_nowhere_to_be_seen;
    budgets:
        callers_at_once_never_exceed_the_limit,
        the_smaller_limit_holds,
        a_settlement_and_a_refund_give_tokens_back;
    nodes:
        a_node_reports_and_learns_which_breakers_to_close,
        a_node_reports_the_order_with_its_compiled_hooks,
        a_node_that_is_not_seen_is_removed,
        records_and_reports_name_the_revision_that_was_published;
    admin:
        every_write_is_in_the_log_and_the_log_is_a_chain,
        a_store_that_must_exist_is_not_made,
        a_token_is_shown_once_and_can_be_taken_back,
        a_token_has_a_name_of_its_own_and_says_when_it_was_used,
        a_token_ends_and_a_new_one_takes_its_place,
        a_session_outlives_the_process_and_ends_in_time,
        a_session_ends_with_its_token,
        a_sample_is_saved_and_removed;
    audit:
        what_was_written_past_the_store_is_found,
        a_chain_that_was_changed_takes_nothing_more,
        a_head_that_was_kept_is_in_the_past_of_the_store,
        a_store_without_a_key_is_proved_by_its_heads;
    import:
        toml_becomes_hooks_of_the_draft,
        a_row_of_goclaw_is_kept_and_runs_by_its_rules,
        settings_of_claude_run_by_its_rules;
}
