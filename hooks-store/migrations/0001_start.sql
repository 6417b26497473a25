-- One text for both engines: for Postgres, BLOB is read as BYTEA. Times are microseconds since 1970 in UTC, booleans are
-- 0 or 1, and no column is NULL: an empty text is one that nobody gave.

-- `change` grows with each write of a person, `revision` with each publication.
CREATE TABLE counter (
    name TEXT NOT NULL PRIMARY KEY,
    value BIGINT NOT NULL
);
INSERT INTO counter (name, value) VALUES ('change', 0), ('revision', 0);

CREATE TABLE hook (
    tenant_id TEXT NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    version BIGINT NOT NULL,
    place BIGINT NOT NULL,
    deleted BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX hook_by_name ON hook (tenant_id, name) WHERE deleted = 0;

CREATE TABLE hook_version (
    tenant_id TEXT NOT NULL,
    hook_id TEXT NOT NULL,
    version BIGINT NOT NULL,
    parent BIGINT NOT NULL,
    hash TEXT NOT NULL,
    body TEXT NOT NULL,
    deleted BIGINT NOT NULL,
    author TEXT NOT NULL,
    comment TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, hook_id, version)
);

CREATE TABLE revision (
    tenant_id TEXT NOT NULL,
    number BIGINT NOT NULL PRIMARY KEY,
    hash TEXT NOT NULL,
    body TEXT NOT NULL
);
CREATE INDEX revision_by_tenant ON revision (tenant_id, number);

-- The ends of the chains of hashes: the newest row, and the last one that retention has removed.
CREATE TABLE chain (
    tenant_id TEXT NOT NULL,
    log TEXT NOT NULL,
    seq BIGINT NOT NULL,
    hash BLOB NOT NULL,
    removed_seq BIGINT NOT NULL,
    removed_hash BLOB NOT NULL,
    PRIMARY KEY (tenant_id, log)
);

CREATE TABLE execution (
    tenant_id TEXT NOT NULL,
    seq BIGINT NOT NULL,
    at BIGINT NOT NULL,
    revision BIGINT NOT NULL,
    hook TEXT NOT NULL,
    hook_version TEXT NOT NULL,
    event TEXT NOT NULL,
    tool TEXT NOT NULL,
    session TEXT NOT NULL,
    agent TEXT NOT NULL,
    outcome TEXT NOT NULL,
    body TEXT NOT NULL,
    detail BLOB NOT NULL,
    detail_hash BLOB NOT NULL,
    hash BLOB NOT NULL,
    PRIMARY KEY (tenant_id, seq)
);
CREATE INDEX execution_by_hook ON execution (tenant_id, hook, seq);
CREATE INDEX execution_by_session ON execution (tenant_id, session, seq);

CREATE TABLE admin_log (
    tenant_id TEXT NOT NULL,
    seq BIGINT NOT NULL,
    body TEXT NOT NULL,
    hash BLOB NOT NULL,
    PRIMARY KEY (tenant_id, seq)
);

CREATE TABLE secret (
    tenant_id TEXT NOT NULL,
    name TEXT NOT NULL,
    version BIGINT NOT NULL,
    value BLOB NOT NULL,
    author TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, name, version)
);

CREATE TABLE budget (
    tenant_id TEXT NOT NULL,
    month TEXT NOT NULL,
    taken BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, month)
);

-- The limit of every month has the month ''.
CREATE TABLE budget_limit (
    tenant_id TEXT NOT NULL,
    month TEXT NOT NULL,
    tokens BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, month)
);

CREATE TABLE budget_entry (
    tenant_id TEXT NOT NULL,
    id TEXT NOT NULL,
    month TEXT NOT NULL,
    kind TEXT NOT NULL,
    tokens BIGINT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id)
);

CREATE TABLE node (
    tenant_id TEXT NOT NULL,
    name TEXT NOT NULL,
    revision BIGINT NOT NULL,
    hash TEXT NOT NULL,
    refused TEXT NOT NULL,
    seen BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, name)
);

CREATE TABLE breaker (
    tenant_id TEXT NOT NULL,
    node TEXT NOT NULL,
    hook TEXT NOT NULL,
    state TEXT NOT NULL,
    since BIGINT NOT NULL,
    reset BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, node, hook)
);

CREATE TABLE sample (
    tenant_id TEXT NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    body TEXT NOT NULL,
    author TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id)
);

CREATE TABLE token (
    tenant_id TEXT NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    agent TEXT NOT NULL,
    hash TEXT NOT NULL,
    author TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX token_by_hash ON token (hash);
