-- What only a key of the store can write of a chain's end and of a revision; empty in a store without a key. `unsigned` is the
-- last row of a chain that was written before there was a key.
ALTER TABLE chain ADD COLUMN mac TEXT NOT NULL DEFAULT '';
ALTER TABLE chain ADD COLUMN unsigned BIGINT NOT NULL DEFAULT 0;
ALTER TABLE revision ADD COLUMN mac TEXT NOT NULL DEFAULT '';
-- The ledger of budgets, as a chain. What is in `budget_entry` is of earlier versions, and is not written any more.
CREATE TABLE budget_log (
    tenant_id TEXT NOT NULL,
    seq BIGINT NOT NULL,
    body TEXT NOT NULL,
    hash BLOB NOT NULL,
    PRIMARY KEY (tenant_id, seq)
);
-- The next start writes into the logs what all rows hold that were there before, and removes this.
INSERT INTO counter (name, value) VALUES ('unaudited', 1);
