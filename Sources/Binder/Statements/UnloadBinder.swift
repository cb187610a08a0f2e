import QueryPlan
import SQLSyntax
import SQLTypes

/// UNLOAD: its query is a text of its own inside of the statement.
extension StatementBinder {
    func bindUnload(_ node: UnloadStatement) throws -> BoundUnload {
        let query = try bindQuery(of: node)
        var bound = BoundUnload(
            query: query, target: node.target, targetPosition: node.targetPosition.offset, partitionColumns: nil,
            includesPartitionColumns: false, options: [])
        for option in node.options {
            guard option.name == "PARTITION BY", case .names(let names)? = option.values.first else {
                bound.options.append(option)
                continue
            }
            if bound.partitionColumns != nil {
                throw SQLError(
                    .syntaxError, "conflicting or redundant options",
                    detail: "PARTITION BY is given more than once.", at: option.position)
            }
            bound.partitionColumns = try partitionColumns(names, of: query)
            bound.includesPartitionColumns = option.values.count > 1
        }
        return bound
    }

    private func bindQuery(of node: UnloadStatement) throws -> LogicalQuery {
        do {
            let query = try Parser.parseQuery(node.queryText, budget: session.budget)
            try checkLimit(query)
            if query.withoutInto != nil {
                throw SQLError(.syntaxError, "UNLOAD cannot be used with SELECT INTO", at: query.position)
            }
            return try queries.bind(query, parent: nil, commonTables: nil).logical
        } catch var error as SQLError {
            error.position = error.position.flatMap { node.position(ofQueryCharacter: $0) }
            throw error.at(node.queryPosition.offset)
        }
    }

    /// The slices write as they go: a limit of all rows together has its place in a subquery.
    private func checkLimit(_ query: Query) throws {
        var limit = query.limit
        if case .select(let select) = query.body, let top = select.top { limit = limit ?? top }
        guard let limit else { return }
        throw SQLError(
            .featureNotSupported, "Limit clause is not supported",
            hint: "Put the LIMIT into a subquery: SELECT * FROM (SELECT ... LIMIT n).", at: limit.position)
    }

    private func partitionColumns(_ names: [Identifier], of query: LogicalQuery) throws -> [Int] {
        var columns: [Int] = []
        for name in names {
            let found = query.outputs.indices.filter { query.outputs[$0].name == name.text }
            guard let index = found.first else {
                throw SQLError(
                    .undefinedColumn, "column \"\(name.text)\" of PARTITION BY is not in the query's result",
                    at: name.position)
            }
            if found.count > 1 {
                throw SQLError(
                    .ambiguousColumn, "column reference \"\(name.text)\" is ambiguous", at: name.position)
            }
            if columns.contains(index) {
                throw SQLError(
                    .duplicateColumn, "column \"\(name.text)\" is specified more than once", at: name.position)
            }
            columns.append(index)
        }
        return columns
    }
}
