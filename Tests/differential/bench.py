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
        paths = self.write(table, table.rows)
        for engine in self.references:
            engine.create(table, paths)
        if table.ghosts:
            paths = self.write(table, table.stored_rows())
        for engine in self.warehouses:
            engine.create(table, paths)

    def write(self, table, rows):
        """Files with the rows, as many as loads are to be made."""
        step, paths = -(-len(rows) // self.parts), []
        for start in range(0, len(rows), max(1, step)):
            paths.append(os.path.join(self.folder, f"rows{len(paths)}.csv"))
            table.write(paths[-1], rows[start:start + step])
        return paths

    def table(self, name):
        return next(table for table in self.tables if table.name == name)

    def put(self, table):
        """Instead of the one of this name."""
        self.tables = [table if old.name == table.name else old for old in self.tables]
        self.create(table)

    def exchange(self, name, rows):
        self.put(self.table(name).with_rows(rows))

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
                    rows = table.stored_rows() if engine in self.warehouses else table.rows
                    engine.create(table, self.write(table, rows))
