{{ config(materialized='table', dist='even', sort=['name']) }}
select c.name, count(*) as orders, sum(o.amount) as revenue, max(o.ordered_at) as last_order
from {{ ref('orders') }} o join {{ ref('customers') }} c on c.id = o.customer_id
group by 1
