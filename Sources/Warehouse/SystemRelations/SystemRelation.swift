import Binder
import Catalog
import ColumnStore
import ColumnVectors
import SQLTypes

/// A system table or view: its columns, and how its rows are made when a query reads it.
struct SystemRelation: Sendable {
    var schema: String
    var name: String
    var columns: [SystemColumn]
    var rows: @Sendable (SystemSnapshot) throws -> [[Datum]]
}

/// What system relations are made from: the state of the warehouse as one session sees it.
struct SystemSnapshot: Sendable {
    var store: StoreSnapshot
    var shape: ClusterShape
    var log: WarehouseLog
    var user: String
    var searchPath: [String]
    var temporarySchema: String

    /// Tables that the session may see, its own temporary ones included.
    var tables: [TableDefinition] {
        store.catalog.allRelations.compactMap { relation in
            guard case .table(let table) = relation else { return nil }
            if table.isTemporary && table.schema != temporarySchema { return nil }
            return table
        }
    }
    var relations: [Relation] {
        store.catalog.allRelations.filter {
            !$0.schema.hasPrefix(Session.temporarySchemaPrefix) || $0.schema == temporarySchema
        }
    }
}

/// All system relations by name. Adding one is an entry in the list of its file.
struct SystemRelations: SystemRelationSchema {
    static let all: [SystemRelation] = LoadRelations.all + TableRelations.all + ClusterRelations.all + QueryRelations.all
    private static let byName: [String: SystemRelation] = {
        var names: [String: SystemRelation] = [:]
        for relation in all { names[relation.name] = relation }
        return names
    }()

    static func find(_ name: String, schema: String?) -> SystemRelation? {
        if let schema, schema != "pg_catalog" && schema != "information_schema" && schema != "public" { return nil }
        if schema == "information_schema" { return byName["information_schema." + name] }
        return byName[name]
    }
    func columns(ofRelation name: String, schema: String?) -> [SystemColumn]? {
        SystemRelations.find(name, schema: schema)?.columns
    }
    var relationNames: [String] { SystemRelations.all.map(\.name) }

    static func rows(_ name: String, _ snapshot: SystemSnapshot) throws -> ColumnBatch {
        let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
        let found = parts.count == 2 ? find(parts[1], schema: parts[0]) : find(name, schema: nil)
        guard let relation = found ?? byName[name] else {
            throw SQLError(.undefinedTable, "relation \"\(name)\" does not exist")
        }
        let batch = ColumnBatch(types: relation.columns.map(\.type))
        for row in try relation.rows(snapshot) { try batch.append(row) }
        return batch
    }
}

extension Datum {
    static func number(_ value: Int) -> Datum { .integer(Int128(value)) }
    static func number(_ value: Int64) -> Datum { .integer(Int128(value)) }
}
