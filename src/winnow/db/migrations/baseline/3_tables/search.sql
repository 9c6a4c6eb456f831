-- Written from the models of db/tables/ by `make baseline`; change those.

CREATE TABLE search_documents (
    product_id BIGINT NOT NULL,
    product_name TEXT NOT NULL,
    brand TEXT,
    category TEXT,
    domain_name TEXT,
    created_at TIMESTAMP WITH TIME ZONE NOT NULL,
    document TSVECTOR NOT NULL,
    indexed_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
    CONSTRAINT search_documents_pkey PRIMARY KEY (product_id)
);
CREATE INDEX idx_search_documents_brand ON search_documents (brand);
CREATE INDEX idx_search_documents_category ON search_documents (category);
CREATE INDEX idx_search_documents_created_at ON search_documents (created_at);
CREATE INDEX idx_search_documents_document ON search_documents USING gin (document);
CREATE INDEX idx_search_documents_domain_name ON search_documents (domain_name);
CREATE INDEX idx_search_documents_product_name ON search_documents USING gin (product_name gin_trgm_ops);
