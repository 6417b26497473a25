-- How often hooks decided what, and how long they took: counted when executions are written, so that nobody counts them later.
-- A row of one hook is an hour; a row without a hook is a minute of all. `bucket` is the power of two of the microseconds.
CREATE TABLE activity (
    tenant_id TEXT NOT NULL,
    hook TEXT NOT NULL,
    at BIGINT NOT NULL,
    outcome TEXT NOT NULL,
    bucket BIGINT NOT NULL,
    count BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, hook, at, outcome, bucket)
);
CREATE INDEX activity_by_time ON activity (tenant_id, at);
