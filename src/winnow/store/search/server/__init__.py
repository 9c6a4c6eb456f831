"""OpenSearch or Elasticsearch: the requests both answer (client.py), the mapping (mapping.py), the indexes
(indexes.py), and what keeps them in step (push.py)."""
