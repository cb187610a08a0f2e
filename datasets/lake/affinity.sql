-- Products that are bought together.
select a.product_name as product, b.product_name as bought_with, count(*) as orders,
       round(100.0 * count(*) / (select count(distinct order_id) from gold.order_items), 2)::decimal(6,2) as support
from gold.order_items x
join gold.order_items y on y.order_id = x.order_id and x.product_id < y.product_id
join gold.products a on a.product_id = x.product_id
join gold.products b on b.product_id = y.product_id
group by a.product_name, b.product_name
having count(*) > 50
order by orders desc, product, bought_with
limit 20;
