-- Whom each write of a person concerns, so that others read nothing again: `topics` is a sum of those of `news.rs`.
CREATE TABLE change (
    tenant_id TEXT NOT NULL,
    number BIGINT NOT NULL PRIMARY KEY,
    topics BIGINT NOT NULL
);
