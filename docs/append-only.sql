-- Roles of Postgres for a store: one for the daemon, which can add to what happened and cannot change or remove it, and one for
-- `hooks verify`, which can only read.
--
-- Run this as the owner of the tables, in their database and schema, after a start as that owner has made or migrated them: these
-- roles cannot. Give the roles a password, or another way to log in.

CREATE ROLE hooks_daemon LOGIN;
CREATE ROLE hooks_auditor LOGIN;

-- Everything may be read.
GRANT SELECT ON _sqlx_migrations, activity, admin_log, batch, breaker, budget, budget_limit, budget_log, chain, change, counter, execution,
    execution_hook, execution_names, hook, hook_version, kept_bytes, node, node_order, revision, sample, secret, session, token
    TO hooks_daemon, hooks_auditor;

-- What happened, and every version that there was. Nothing of it is changed or removed: that there is no more is the point.
GRANT INSERT ON admin_log, budget_log, execution, execution_hook, execution_names, hook_version, revision TO hooks_daemon;

-- The ends of the chains, the counters and the draft, which names the newest version of each hook, move.
GRANT INSERT, UPDATE ON chain, hook TO hooks_daemon;
GRANT UPDATE ON counter TO hooks_daemon;

-- What people take back. The admin log says what each row held.
GRANT INSERT, DELETE ON budget_limit, sample, secret, token TO hooks_daemon;
GRANT UPDATE (used, used_from, ends) ON token TO hooks_daemon;

-- What is counted or reported.
GRANT INSERT, DELETE ON batch, change TO hooks_daemon;
GRANT INSERT, UPDATE ON budget, kept_bytes TO hooks_daemon;
GRANT INSERT, UPDATE, DELETE ON activity, breaker, node, node_order, session TO hooks_daemon;
