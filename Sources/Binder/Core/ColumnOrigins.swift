import Catalog
import QueryPlan
import SQLTypes

/// Where the columns of a statement come from, so that clients can be told of its result: kept beside the plan, because
/// ids pass through operators unchanged. Lists are kept as they are and only searched for the statement's outputs.
struct ColumnOrigins {
    enum Relation {
        case table(TableDefinition, schema: String)
        case view(ViewDefinition)
        case system(name: String, schema: String, id: Int)
    }
    fileprivate struct Source {
        var columns: [OutputColumn]
        /// Places of `columns` in the relation; nil: in their order.
        var places: [Int]?
        var relation: Relation
        var database: String
    }
    private var sources: [Source] = []
    private var sourceRuns = ColumnRuns()
    private var copies: [[OutputColumn]] = []
    private var copyRuns = ColumnRuns()
    private var copied: [ColumnID: ColumnID] = [:]
    private var arrays: [ColumnID: Int32] = [:]
    /// Values that are arrays, as they were bound: constructors and casts.
    private var arrayValues: [BoundExpression: Int32] = [:]
    private static let longestChain = 200

    mutating func note(
        _ columns: [OutputColumn], places: [Int]? = nil, of relation: Relation, in database: String
    ) {
        sourceRuns.add(columns, list: sources.count)
        sources.append(Source(columns: columns, places: places, relation: relation, database: database))
    }
    mutating func note(_ columns: [OutputColumn], like others: [OutputColumn]) {
        copyRuns.add(columns, list: copies.count)
        copies.append(others)
    }
    mutating func note(_ column: ColumnID, like expression: BoundExpression) {
        if case .column(let id, _) = expression {
            if id != column { copied[column] = id }
        } else if let array = arrayID(of: expression) {
            arrays[column] = array
        }
    }
    mutating func note(_ column: ColumnID, arrayID: Int32) { arrays[column] = arrayID }
    mutating func note(array value: BoundExpression, _ arrayID: Int32) {
        // A column stays what it is wherever else the statement names it.
        if case .column = value { return }
        arrayValues[value] = arrayID
    }

    func details(of column: ColumnID) -> ColumnDetails {
        var id = column
        for _ in 0..<Self.longestChain {
            if let array = arrays[id] { return ColumnDetails(arrayID: array) }
            if let details = source(of: id) { return details }
            guard let other = copied[id] ?? copy(of: id), other != id else { break }
            id = other
        }
        return ColumnDetails()
    }

    /// 0 for a value that is no array.
    func arrayID(_ column: ColumnID) -> Int32 { details(of: column).arrayID }

    private func arrayID(of expression: BoundExpression) -> Int32? {
        if case .call(.currentSchemas, _, _) = expression { return 1003 }
        return arrayValues.isEmpty ? nil : arrayValues[expression]
    }

    private func copy(of id: ColumnID) -> ColumnID? {
        guard let (list, place) = copyRuns.find(id), place < copies[list].count else { return nil }
        return copies[list][place].id
    }

    private func source(of id: ColumnID) -> ColumnDetails? {
        sourceRuns.find(id).map { sources[$0.list].details($0.place) }
    }
}

extension ColumnOrigins.Source {
    fileprivate func details(_ index: Int) -> ColumnDetails {
        let place = places.map { $0.indices.contains(index) ? $0[index] : index } ?? index
        switch relation {
        case .table(let table, let schema):
            guard table.columns.indices.contains(place) else { return ColumnDetails() }
            let column = table.columns[place]
            return ColumnDetails(
                origin: ColumnOrigin(
                    relationID: table.id.raw, number: place + 1, database: database, schema: schema,
                    relation: table.name, column: column.name, isNullable: !column.notNull,
                    isIdentity: column.identity != nil))
        case .view(let view):
            return ColumnDetails(
                origin: ColumnOrigin(
                    relationID: view.id.raw, number: place + 1, database: database, schema: view.schema,
                    relation: view.name, column: columns[index].name))
        case .system(let name, let schema, let id):
            return ColumnDetails(
                origin: ColumnOrigin(
                    relationID: Int64(id), number: place + 1, database: database, schema: schema, relation: name,
                    column: columns[index].name), arrayID: columns[index].details.arrayID)
        }
    }
}
