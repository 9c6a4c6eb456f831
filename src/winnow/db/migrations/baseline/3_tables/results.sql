-- Written from the models of db/tables/ by `make baseline`; change those.

CREATE TABLE enrichment_results (
    task_id UUID NOT NULL,
    job_id UUID,
    kind TEXT NOT NULL,
    target_type TEXT NOT NULL,
    version TEXT NOT NULL,
    workspace_id TEXT,
    target_url TEXT NOT NULL,
    url_hash CHAR(64) NOT NULL,
    requested_fields TEXT[],
    data JSONB,
    further JSONB DEFAULT '[]'::jsonb NOT NULL,
    problems JSONB DEFAULT '{}'::jsonb NOT NULL,
    provenance JSONB DEFAULT '{}'::jsonb NOT NULL,
    verdict TEXT NOT NULL,
    reasons TEXT[] DEFAULT '{}'::text[] NOT NULL,
    page_id UUID,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
    expires_at TIMESTAMP WITH TIME ZONE,
    erased_at TIMESTAMP WITH TIME ZONE,
    CONSTRAINT enrichment_results_pkey PRIMARY KEY (task_id),
    CONSTRAINT enrichment_results_verdict_check CHECK (verdict IN ('accept','hold','reject')),
    CONSTRAINT enrichment_results_erased_check CHECK ((data IS NULL) = (erased_at IS NOT NULL))
);
CREATE INDEX idx_enrichment_results_expires_at ON enrichment_results (expires_at) WHERE data IS NOT NULL;
CREATE INDEX idx_enrichment_results_job_id ON enrichment_results (job_id) WHERE job_id IS NOT NULL;
CREATE INDEX idx_enrichment_results_url_hash ON enrichment_results (kind, url_hash, created_at);
