-- When a token ends; 0 if it never does.
ALTER TABLE token ADD COLUMN ends BIGINT NOT NULL DEFAULT 0;
-- How many letters all versions of hooks and all revisions of a tenant have, which are never removed.
CREATE TABLE kept_bytes (
    tenant_id TEXT NOT NULL PRIMARY KEY,
    bytes BIGINT NOT NULL
);
INSERT INTO kept_bytes SELECT tenant_id, SUM(bytes) FROM (
    SELECT tenant_id, LENGTH(body) + LENGTH(text) AS bytes FROM hook_version UNION ALL
    SELECT tenant_id, LENGTH(body) FROM revision
) AS all_of_them GROUP BY tenant_id;
