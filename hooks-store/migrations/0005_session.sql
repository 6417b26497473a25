-- Who is logged in to a console: `hash` is that of the cookie, `token` that of the token, which is empty for a link of the daemon.
CREATE TABLE session (
    tenant_id TEXT NOT NULL,
    hash TEXT NOT NULL PRIMARY KEY,
    token TEXT NOT NULL,
    begun BIGINT NOT NULL,
    used BIGINT NOT NULL
);
CREATE INDEX session_by_token ON session (tenant_id, token, used);
-- When a token was last used, and through which door; 0 if it never was.
ALTER TABLE token ADD COLUMN used BIGINT NOT NULL DEFAULT 0;
ALTER TABLE token ADD COLUMN used_from TEXT NOT NULL DEFAULT '';
