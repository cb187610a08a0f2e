{{ config(materialized='incremental', unique_key='id', dist='customer_id', sort='ordered_at') }}
select id, customer_id, amount, ordered_at, paid from {{ ref('orders_raw') }}
{% if is_incremental() %} where ordered_at > (select max(ordered_at) from {{ this }}) {% endif %}
