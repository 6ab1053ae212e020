-- +goose Up
-- What a workspace's shop tells about its customers. Records of the test
-- environment share the tables and never meet the live ones: test is part of
-- every key by which they are found. Amounts are in minor units.
CREATE TABLE commerce_customer (
    tenant_id   uuid NOT NULL,
    id          uuid NOT NULL,
    test        boolean NOT NULL,
    external_id text,
    contact_id  uuid,
    name        text NOT NULL,
    email       text,
    email_key   text,
    phone       text,
    created_at  bigint NOT NULL,
    updated_at  bigint NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX commerce_customer_external ON commerce_customer (tenant_id, test, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX commerce_customer_list ON commerce_customer (tenant_id, test, created_at, id);
CREATE INDEX commerce_customer_contact ON commerce_customer (tenant_id, contact_id) WHERE contact_id IS NOT NULL;
CREATE INDEX commerce_customer_email ON commerce_customer (tenant_id, email_key) WHERE email_key IS NOT NULL;
CREATE INDEX commerce_customer_phone ON commerce_customer (tenant_id, phone) WHERE phone IS NOT NULL;

CREATE TABLE commerce_order (
    tenant_id         uuid NOT NULL,
    id                uuid NOT NULL,
    test              boolean NOT NULL,
    external_id       text NOT NULL,
    customer_id       uuid NOT NULL,
    number            text NOT NULL,
    status            text NOT NULL,
    currency          text NOT NULL,
    total             bigint NOT NULL,
    tax               bigint NOT NULL,
    shipping          bigint NOT NULL,
    discount          bigint NOT NULL,
    lines             text NOT NULL,
    url               text NOT NULL,
    placed_at         bigint NOT NULL,
    source_updated_at bigint,
    created_at        bigint NOT NULL,
    updated_at        bigint NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, test, external_id),
    FOREIGN KEY (tenant_id, customer_id) REFERENCES commerce_customer (tenant_id, id)
);
CREATE INDEX commerce_order_list ON commerce_order (tenant_id, test, placed_at, id);
CREATE INDEX commerce_order_customer ON commerce_order (tenant_id, customer_id, placed_at, id);

CREATE TABLE commerce_shipment (
    tenant_id         uuid NOT NULL,
    id                uuid NOT NULL,
    test              boolean NOT NULL,
    external_id       text NOT NULL,
    order_id          uuid NOT NULL,
    carrier           text NOT NULL,
    tracking_number   text NOT NULL,
    tracking_url      text NOT NULL,
    status            text NOT NULL,
    shipped_at        bigint,
    delivered_at      bigint,
    source_updated_at bigint,
    created_at        bigint NOT NULL,
    updated_at        bigint NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, test, external_id),
    FOREIGN KEY (tenant_id, order_id) REFERENCES commerce_order (tenant_id, id)
);
CREATE INDEX commerce_shipment_list ON commerce_shipment (tenant_id, test, created_at, id);
CREATE INDEX commerce_shipment_order ON commerce_shipment (tenant_id, order_id, created_at, id);

CREATE TABLE commerce_return (
    tenant_id         uuid NOT NULL,
    id                uuid NOT NULL,
    test              boolean NOT NULL,
    external_id       text NOT NULL,
    order_id          uuid NOT NULL,
    status            text NOT NULL,
    reason            text NOT NULL,
    currency          text NOT NULL,
    amount            bigint NOT NULL,
    requested_at      bigint NOT NULL,
    source_updated_at bigint,
    created_at        bigint NOT NULL,
    updated_at        bigint NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, test, external_id),
    FOREIGN KEY (tenant_id, order_id) REFERENCES commerce_order (tenant_id, id)
);
CREATE INDEX commerce_return_list ON commerce_return (tenant_id, test, created_at, id);
CREATE INDEX commerce_return_order ON commerce_return (tenant_id, order_id, created_at, id);

CREATE TABLE commerce_entry (
    tenant_id   uuid NOT NULL,
    id          uuid NOT NULL,
    test        boolean NOT NULL,
    external_id text NOT NULL,
    customer_id uuid NOT NULL,
    currency    text NOT NULL,
    amount      bigint NOT NULL,
    description text NOT NULL,
    at          bigint NOT NULL,
    created_at  bigint NOT NULL,
    updated_at  bigint NOT NULL,
    PRIMARY KEY (tenant_id, id),
    UNIQUE (tenant_id, test, external_id),
    FOREIGN KEY (tenant_id, customer_id) REFERENCES commerce_customer (tenant_id, id)
);
CREATE INDEX commerce_entry_list ON commerce_entry (tenant_id, test, created_at, id);
CREATE INDEX commerce_entry_customer ON commerce_entry (tenant_id, customer_id, created_at, id);

-- Kept, not summed up: it changes in the transaction of the entry.
CREATE TABLE commerce_balance (
    tenant_id   uuid NOT NULL,
    customer_id uuid NOT NULL,
    currency    text NOT NULL,
    amount      bigint NOT NULL,
    PRIMARY KEY (tenant_id, customer_id, currency),
    FOREIGN KEY (tenant_id, customer_id) REFERENCES commerce_customer (tenant_id, id)
);
