-- The tables of datasets/lake/make_data.py; `data` is the folder of its files.
create schema if not exists gold;

create table gold.products (product_id int not null, product_name varchar(40) not null) diststyle all;

create table gold.orders (
    order_id int not null distkey,
    customer_id int not null,
    order_date date not null sortkey,
    order_amount decimal(10,2) not null);

create table gold.order_items (order_id int not null distkey sortkey, product_id int not null);

copy gold.products from :'products' csv;
copy gold.orders from :'orders' csv;
copy gold.order_items from :'items' csv;
analyze gold.products;
analyze gold.orders;
analyze gold.order_items;
