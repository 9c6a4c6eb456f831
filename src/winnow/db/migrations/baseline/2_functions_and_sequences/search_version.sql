-- Numbers the changes of the search index. One transaction at a time takes any (store/search/documents.py), so they are
-- in the order of the commits: whoever has seen 17 misses nothing up to 17.
CREATE SEQUENCE search_version;
