select id, coalesce(name, 'unknown') as name, joined from {{ ref('customers_raw') }}
