{% snapshot orders_history %}
{{ config(target_schema='dbt_shop', unique_key='id', strategy='check', check_cols=['amount', 'paid']) }}
select * from {{ ref('orders_raw') }}
{% endsnapshot %}
