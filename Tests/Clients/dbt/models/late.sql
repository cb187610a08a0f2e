{{ config(materialized='view', bind=false) }}
select name, revenue::decimal(12,2) as revenue from {{ ref('revenue') }}
