"""The tables of the moment in every system."""
import os


class Bench:
    def __init__(self, folder, warehouses, references):
        self.folder = folder
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
        paths = self.write(table)
        for engine in self.warehouses + self.references:
            engine.create(table, paths)

    def write(self, table):
        """Files with the rows, as many as loads are to be made."""
        step, paths = -(-len(table.rows) // self.parts), []
        for start in range(0, len(table.rows), max(1, step)):
            paths.append(os.path.join(self.folder, f"rows{len(paths)}.csv"))
            table.write(paths[-1], table.rows[start:start + step])
        return paths

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
        """Those that died start again, with the tables."""
        for engine in self.warehouses + self.references:
            if not engine.is_alive():
                engine.start()
                for table in self.tables:
                    engine.create(table, self.write(table))
