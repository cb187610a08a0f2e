"""The tables of the moment in every system."""
import os


class Bench:
    def __init__(self, folder, warehouses, references):
        self.path = os.path.join(folder, "rows.csv")
        self.warehouses, self.references = warehouses, references
        self.tables, self.saved, self.parts = [], None, 1

    def load(self, tables, rng):
        self.parts = rng.choice([1, 1, 2, 5])
        for old in self.tables:
            if old.name not in {table.name for table in tables}:
                self.drop(old.name)
        self.tables = tables
        for table in tables:
            self.create(table)

    def drop(self, name):
        for warehouse in self.warehouses:
            warehouse.must(f"drop table if exists {name}")

    def create(self, table):
        for warehouse in self.warehouses:
            warehouse.create(table, self.path, self.parts)
        for engine in self.references:
            engine.create(table, self.path)

    def exchange(self, name, rows):
        """Other rows for a table."""
        for index, table in enumerate(self.tables):
            if table.name == name:
                self.tables[index] = table.with_rows(rows)
                self.create(self.tables[index])

    def save(self):
        self.saved = list(self.tables)

    def restore(self):
        for index, table in enumerate(self.saved):
            if self.tables[index] is not table:
                self.tables[index] = table
                self.create(table)

    def revive(self):
        """New servers for those that died, with the tables."""
        for warehouse in self.warehouses:
            if not warehouse.is_alive():
                warehouse.start()
                for table in self.tables:
                    warehouse.create(table, self.path, self.parts)
