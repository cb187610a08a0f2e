select 1 as wrong
from (select sum(revenue) as r from {{ ref('revenue') }}) a, (select sum(amount) as r from {{ ref('orders_raw') }}) b
where a.r <> b.r
