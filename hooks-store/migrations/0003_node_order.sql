-- The order of hooks that a node has reported, which is written only when it is another one: `hash` is that of `body`.
CREATE TABLE node_order (
    tenant_id TEXT NOT NULL,
    node TEXT NOT NULL,
    hash TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (tenant_id, node)
);
