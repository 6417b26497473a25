-- What clients have called the records that they have sent together: so that they are written once, however often they come.
CREATE TABLE batch (
    tenant_id TEXT NOT NULL,
    name TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, name)
) WITHOUT ROWID;
