extension SQLPrinter {
    mutating func write(_ table: TableReference) {
        switch table {
        case .table(let node):
            write(node.name)
            write(node.alias)
        case .subquery(let node):
            text += node.isLateral ? "LATERAL (" : "("
            write(node.query)
            text += ")"
            write(node.alias)
        case .function(let node): write(node)
        case .join(let node): write(node)
        case .pivot(let node): write(node)
        case .unpivot(let node): write(node)
        case .navigation(let node):
            write(node.path)
            write(node.alias)
        case .objectUnpivot(let node):
            text += "UNPIVOT "
            write(node.path)
            write(node.alias)
        }
    }

    private mutating func write(_ alias: TableAlias?) {
        guard let alias else { return }
        text += " AS "
        write(alias.name)
        optional(alias.columns)
        if let at = alias.at {
            text += " AT "
            write(at)
        }
    }

    private mutating func write(_ node: TableFunction) {
        write(node.call)
        guard let alias = node.alias else { return }
        text += " AS "
        write(alias.name)
        guard !alias.columns.isEmpty else { return }
        text += "("
        list(alias.columns.indices) { printer, index in
            printer.write(alias.columns[index])
            if index < node.columnTypes.count {
                printer.text += " "
                printer.write(node.columnTypes[index])
            }
        }
        text += ")"
    }

    private mutating func write(_ join: Join) {
        write(join.left)
        if case .natural = join.constraint { text += " NATURAL" }
        text += " " + join.kind.rawValue + " JOIN "
        if case .join = join.right {
            text += "("
            write(join.right)
            text += ")"
        } else {
            write(join.right)
        }
        switch join.constraint {
        case .none, .natural: break
        case .using(let names):
            text += " USING "
            parenthesized(names)
        case .on(let condition): clause(" ON ", condition)
        }
    }

    /// The source of a pivot: a join needs parentheses.
    private mutating func source(_ table: TableReference) {
        guard case .join = table else { return write(table) }
        text += "("
        write(table)
        text += ")"
    }

    private mutating func write(_ node: PivotTable) {
        source(node.source)
        text += " PIVOT ("
        values(node.aggregates)
        text += " FOR "
        write(node.column, Precedence.other)
        text += " IN ("
        values(node.values)
        text += "))"
        write(node.alias)
    }

    private mutating func values(_ values: [PivotTable.Value]) {
        list(values) { printer, value in
            printer.write(value.expression)
            if let alias = value.alias {
                printer.text += " AS "
                printer.write(alias)
            }
        }
    }

    private mutating func write(_ node: UnpivotTable) {
        source(node.source)
        text += node.includesNulls ? " UNPIVOT INCLUDE NULLS (" : " UNPIVOT ("
        write(node.valueName)
        text += " FOR "
        write(node.labelName)
        text += " IN ("
        list(node.columns) { printer, column in
            printer.write(column.name)
            printer.clause(" AS ", column.label)
        }
        text += "))"
        write(node.alias)
    }
}
