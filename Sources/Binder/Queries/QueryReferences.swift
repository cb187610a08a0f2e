import SQLSyntax

/// Whether a query reads a relation of some bare name in a FROM: tells recursive WITH entries from plain ones.
enum QueryReferences {
    static func names(_ name: String, in query: Query) -> Bool {
        if let with = query.with, with.tables.contains(where: { names(name, in: $0.query) }) { return true }
        return names(name, in: query.body)
    }

    private static func names(_ name: String, in body: QueryBody) -> Bool {
        switch body {
        case .select(let select): select.from.contains { names(name, in: $0) }
        case .setOperation(let operation): names(name, in: operation.left) || names(name, in: operation.right)
        case .nested(let query): names(name, in: query)
        case .values: false
        }
    }

    private static func names(_ name: String, in reference: TableReference) -> Bool {
        switch reference {
        case .table(let table): table.name.parts.count == 1 && table.name.name == name
        case .subquery(let derived): names(name, in: derived.query)
        case .join(let join): names(name, in: join.left) || names(name, in: join.right)
        case .pivot(let pivot): names(name, in: pivot.source)
        case .unpivot(let unpivot): names(name, in: unpivot.source)
        case .function, .navigation, .objectUnpivot: false
        }
    }
}
