{{ config(materialized='incremental', unique_key='id', incremental_strategy='merge') }}
select id, customer_id, amount from {{ ref('orders_raw') }}
