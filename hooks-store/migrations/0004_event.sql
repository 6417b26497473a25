-- An execution is an event. A row for each hook that ran on it: by these, the executions of a hook are found.
CREATE TABLE execution_hook (
    tenant_id TEXT NOT NULL,
    hook TEXT NOT NULL,
    seq BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, hook, seq)
) WITHOUT ROWID;
INSERT INTO execution_hook SELECT tenant_id, hook, seq FROM execution WHERE hook <> '';
DROP INDEX execution_by_hook;
-- Names of hooks, of which the body of an execution says by single bits which of them did not run. `hash` is that of `body`.
CREATE TABLE execution_names (
    tenant_id TEXT NOT NULL,
    hash TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (tenant_id, hash)
);
