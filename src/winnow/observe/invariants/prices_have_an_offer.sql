-- C-070: Every price belongs to an offer (no foreign key: it would cost as much as the append itself).
SELECT p.id, format('offer %s does not exist', p.source_product_id) AS problem
FROM prices p
WHERE NOT EXISTS (SELECT FROM source_products o WHERE o.id = p.source_product_id)
