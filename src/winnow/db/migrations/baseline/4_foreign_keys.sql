-- Written from the models of db/tables/ by `make baseline`; change those.

ALTER TABLE affiliate_feed_run_errors ADD CONSTRAINT affiliate_feed_run_errors_run_id_fkey FOREIGN KEY(run_id) REFERENCES affiliate_feed_runs (id) ON DELETE CASCADE;

ALTER TABLE affiliate_feed_runs ADD CONSTRAINT affiliate_feed_runs_feed_id_fkey FOREIGN KEY(feed_id) REFERENCES affiliate_feeds (id);

ALTER TABLE affiliate_feeds ADD CONSTRAINT affiliate_feeds_source_id_fkey FOREIGN KEY(source_id) REFERENCES sources (id);

ALTER TABLE crawl_batch_targets ADD CONSTRAINT crawl_batch_targets_batch_id_fkey FOREIGN KEY(batch_id) REFERENCES crawl_batches (id) ON DELETE CASCADE;
ALTER TABLE crawl_batch_targets ADD CONSTRAINT crawl_batch_targets_target_id_fkey FOREIGN KEY(target_id) REFERENCES scrape_targets (id) ON DELETE CASCADE;

ALTER TABLE crawls ADD CONSTRAINT crawls_run_id_fkey FOREIGN KEY(run_id) REFERENCES scrape_runs (id) ON DELETE SET NULL;
ALTER TABLE crawls ADD CONSTRAINT crawls_source_id_fkey FOREIGN KEY(source_id) REFERENCES sources (id) ON DELETE CASCADE;

ALTER TABLE daily_run_sources ADD CONSTRAINT daily_run_sources_daily_run_id_fkey FOREIGN KEY(daily_run_id) REFERENCES daily_runs (id) ON DELETE CASCADE;
ALTER TABLE daily_run_sources ADD CONSTRAINT daily_run_sources_source_id_fkey FOREIGN KEY(source_id) REFERENCES sources (id) ON DELETE CASCADE;

ALTER TABLE deliveries ADD CONSTRAINT deliveries_endpoint_id_fkey FOREIGN KEY(endpoint_id) REFERENCES webhook_endpoints (id) ON DELETE CASCADE;

ALTER TABLE discovery_candidates ADD CONSTRAINT discovery_candidates_job_id_fkey FOREIGN KEY(job_id) REFERENCES discovery_jobs (id) ON DELETE SET NULL;
ALTER TABLE discovery_candidates ADD CONSTRAINT discovery_candidates_municipality_id_fkey FOREIGN KEY(municipality_id) REFERENCES municipalities (id) ON DELETE SET NULL;
ALTER TABLE discovery_candidates ADD CONSTRAINT discovery_candidates_source_id_fkey FOREIGN KEY(source_id) REFERENCES sources (id) ON DELETE SET NULL;

ALTER TABLE discovery_jobs ADD CONSTRAINT discovery_jobs_municipality_id_fkey FOREIGN KEY(municipality_id) REFERENCES municipalities (id) ON DELETE CASCADE;

ALTER TABLE event_doubts ADD CONSTRAINT event_doubts_high_id_fkey FOREIGN KEY(high_id) REFERENCES events (id) ON DELETE CASCADE;
ALTER TABLE event_doubts ADD CONSTRAINT event_doubts_low_id_fkey FOREIGN KEY(low_id) REFERENCES events (id) ON DELETE CASCADE;

ALTER TABLE event_merges ADD CONSTRAINT event_merges_kept_id_fkey FOREIGN KEY(kept_id) REFERENCES events (id);
ALTER TABLE event_merges ADD CONSTRAINT event_merges_merged_id_fkey FOREIGN KEY(merged_id) REFERENCES events (id);

ALTER TABLE event_reactions ADD CONSTRAINT event_reactions_event_id_fkey FOREIGN KEY(event_id) REFERENCES events (id) ON DELETE CASCADE;

ALTER TABLE events ADD CONSTRAINT events_merged_into_fkey FOREIGN KEY(merged_into) REFERENCES events (id);
ALTER TABLE events ADD CONSTRAINT events_source_id_fkey FOREIGN KEY(source_id) REFERENCES sources (id);
ALTER TABLE events ADD CONSTRAINT events_venue_id_fkey FOREIGN KEY(venue_id) REFERENCES venues (id);

ALTER TABLE feed_row_memory ADD CONSTRAINT feed_row_memory_feed_id_fkey FOREIGN KEY(feed_id) REFERENCES affiliate_feeds (id) ON DELETE CASCADE;

ALTER TABLE images ADD CONSTRAINT images_product_id_fkey FOREIGN KEY(product_id) REFERENCES source_products (id) ON DELETE CASCADE;

ALTER TABLE monitor_limits ADD CONSTRAINT monitor_limits_source_id_fkey FOREIGN KEY(source_id) REFERENCES sources (id) ON DELETE CASCADE;

ALTER TABLE monitor_readings ADD CONSTRAINT monitor_readings_source_id_fkey FOREIGN KEY(source_id) REFERENCES sources (id) ON DELETE CASCADE;

ALTER TABLE offer_before ADD CONSTRAINT offer_before_source_product_id_fkey FOREIGN KEY(source_product_id) REFERENCES source_products (id) ON DELETE CASCADE;

ALTER TABLE offer_clicks ADD CONSTRAINT offer_clicks_source_product_id_fkey FOREIGN KEY(source_product_id) REFERENCES source_products (id) ON DELETE CASCADE;

ALTER TABLE price_corrections ADD CONSTRAINT price_corrections_affiliate_feed_run_id_fkey FOREIGN KEY(affiliate_feed_run_id) REFERENCES affiliate_feed_runs (id) ON DELETE RESTRICT;
ALTER TABLE price_corrections ADD CONSTRAINT price_corrections_price_id_fkey FOREIGN KEY(price_id) REFERENCES prices (id);
ALTER TABLE price_corrections ADD CONSTRAINT price_corrections_scrape_run_id_fkey FOREIGN KEY(scrape_run_id) REFERENCES scrape_runs (id) ON DELETE RESTRICT;
ALTER TABLE price_corrections ADD CONSTRAINT price_corrections_source_id_fkey FOREIGN KEY(source_id) REFERENCES sources (id);
ALTER TABLE price_corrections ADD CONSTRAINT price_corrections_source_product_id_fkey FOREIGN KEY(source_product_id) REFERENCES source_products (id);

ALTER TABLE product_conflicts ADD CONSTRAINT product_conflicts_source_product_id_fkey FOREIGN KEY(source_product_id) REFERENCES source_products (id) ON DELETE CASCADE;

ALTER TABLE product_links ADD CONSTRAINT product_links_product_id_fkey FOREIGN KEY(product_id) REFERENCES products (id) ON DELETE CASCADE;
ALTER TABLE product_links ADD CONSTRAINT product_links_source_product_id_fkey FOREIGN KEY(source_product_id) REFERENCES source_products (id) ON DELETE CASCADE;

ALTER TABLE replay_differences ADD CONSTRAINT replay_differences_replay_id_fkey FOREIGN KEY(replay_id) REFERENCES replays (id) ON DELETE CASCADE;

ALTER TABLE scrape_runs ADD CONSTRAINT scrape_runs_retailer_id_fkey FOREIGN KEY(retailer_id) REFERENCES retailers (id);
ALTER TABLE scrape_runs ADD CONSTRAINT scrape_runs_source_id_fkey FOREIGN KEY(source_id) REFERENCES sources (id) ON DELETE CASCADE;

ALTER TABLE scrape_targets ADD CONSTRAINT scrape_targets_source_id_fkey FOREIGN KEY(source_id) REFERENCES sources (id) ON DELETE CASCADE;
ALTER TABLE scrape_targets ADD CONSTRAINT scrape_targets_source_product_id_fkey FOREIGN KEY(source_product_id) REFERENCES source_products (id) ON DELETE SET NULL;

ALTER TABLE source_circuits ADD CONSTRAINT source_circuits_source_id_fkey FOREIGN KEY(source_id) REFERENCES sources (id) ON DELETE CASCADE;

ALTER TABLE source_trust_config ADD CONSTRAINT source_trust_config_source_id_fkey FOREIGN KEY(source_id) REFERENCES sources (id) ON DELETE CASCADE;

ALTER TABLE sources ADD CONSTRAINT sources_retailer_id_fkey FOREIGN KEY(retailer_id) REFERENCES retailers (id);

ALTER TABLE user_sessions ADD CONSTRAINT user_sessions_user_id_fkey FOREIGN KEY(user_id) REFERENCES users (id) ON DELETE CASCADE;

ALTER TABLE venue_aliases ADD CONSTRAINT venue_aliases_venue_id_fkey FOREIGN KEY(venue_id) REFERENCES venues (id) ON DELETE CASCADE;

ALTER TABLE venues ADD CONSTRAINT venues_merged_into_fkey FOREIGN KEY(merged_into) REFERENCES venues (id);

ALTER TABLE watches ADD CONSTRAINT watches_endpoint_id_fkey FOREIGN KEY(endpoint_id) REFERENCES webhook_endpoints (id) ON DELETE RESTRICT;
ALTER TABLE watches ADD CONSTRAINT watches_target_id_fkey FOREIGN KEY(target_id) REFERENCES scrape_targets (id) ON DELETE CASCADE;
