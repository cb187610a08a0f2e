copy region from '__DATA__/region.tbl' delimiter '|';
copy nation from '__DATA__/nation.tbl' delimiter '|';
copy supplier from '__DATA__/supplier.tbl' delimiter '|';
copy customer from '__DATA__/customer.tbl' delimiter '|';
copy part from '__DATA__/part.tbl' delimiter '|';
copy partsupp from '__DATA__/partsupp.tbl' delimiter '|';
copy orders from '__DATA__/orders.tbl' delimiter '|';
copy lineitem from '__DATA__/lineitem.tbl' delimiter '|';
