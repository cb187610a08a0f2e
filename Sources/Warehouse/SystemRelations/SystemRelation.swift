import Binder
import Catalog
import ColumnStore
import ColumnVectors
import Platform
import QueryPlan
import SQLTypes
import VectorEngine

/// A system table or view: its columns, and how its rows are made when a query reads it.
struct SystemRelation: Sendable {
    var schema: String
    var name: String
    var columns: [SystemColumn]
    /// pg_type's oids of the columns: NAME and OID are VARCHAR and BIGINT here but keep their names in catalogs.
    var typeIDs: [Int]
    var rows: @Sendable (SystemSnapshot, SystemRows) throws -> Void

    /// - Parameter columns: `name type, name type ...` in the words of ``SystemColumnList``.
    init(
        _ name: String, schema: String = "pg_catalog", _ columns: String,
        rows: @escaping @Sendable (SystemSnapshot, SystemRows) throws -> Void = { _, _ in }
    ) {
        self.schema = schema
        self.name = name
        self.rows = rows
        (self.columns, typeIDs) = SystemColumnList.parse(columns)
    }

    /// Tables are what Redshift keeps in tables; the rest are views.
    var isView: Bool {
        let views = ["svv_", "svl_", "svcs_", "sys_"]
        return schema == "information_schema" || views.contains { name.hasPrefix($0) }
    }
    /// As plans name it: bare, except where information_schema shares a name with another schema.
    var planName: String { schema == "information_schema" ? "information_schema." + name : name }
}

/// Takes the rows of a system relation.
final class SystemRows {
    let batch: ColumnBatch
    /// Columns that are filled; the others stay empty.
    private let wanted: [Int]
    /// The column of users' ids, and the one user whose rows are shown.
    private let filter: (column: Int, user: Datum)?
    private let cancellation: CancellationToken
    private static let checkedRows = 1 << 8

    init(
        types: [SQLType], wanted: [Int]? = nil, filter: (column: Int, user: Int)? = nil,
        cancellation: CancellationToken
    ) {
        self.cancellation = cancellation
        self.filter = filter.map { ($0.column, .number($0.user)) }
        batch = ColumnBatch(types: types)
        self.wanted = wanted ?? Array(types.indices)
    }
    func add(_ row: [Datum]) throws {
        try check()
        if let filter, row[filter.column] != filter.user { return }
        for column in wanted { try batch.columns[column].append(row[column]) }
    }
    /// A row whose values are made only where they are wanted.
    func add(_ value: (Int) -> Datum) throws {
        try check()
        for column in wanted { try batch.columns[column].append(value(column)) }
    }
    /// Rows are made before the query's own operators see any of them.
    private func check() throws {
        addedRows &+= 1
        if addedRows & (SystemRows.checkedRows - 1) == 0 { try cancellation.check() }
    }
    private var addedRows = 0

    func wants(_ column: Int) -> Bool { wanted.contains(column) }
}

/// Column lists in short: the types of catalogs by the words that their documentation uses.
enum SystemColumnList {
    static func parse(_ text: String) -> ([SystemColumn], [Int]) {
        var columns: [SystemColumn] = []
        var types: [Int] = []
        for entry in text.split(separator: ",") {
            let words = entry.split { $0 == " " || $0 == "\n" }
            guard words.count == 2 else { continue }
            let (type, typeID) = type(String(words[1]))
            let isArray = TypeCatalog.byID[typeID]?.element ?? 0 != 0 && typeID != 19
            columns.append(SystemColumn(String(words[0]), type, arrayID: isArray ? Int32(clamping: typeID) : 0))
            types.append(typeID)
        }
        return (columns, types)
    }

    private static func type(_ word: String) -> (SQLType, Int) {
        switch word {
        case "int": return (.integer, 23)
        case "bigint": return (.bigint, 20)
        case "smallint": return (.smallint, 21)
        case "bool": return (.boolean, 16)
        case "oid": return (.bigint, 26)
        case "name": return (.varchar(128), 19)
        case "\"char\"": return (.char(1), 18)
        case "text": return (.varchar(SQLType.maximumVarcharLength), 25)
        case "regproc": return (.varchar(128), 24)
        case "vector": return (.varchar(SQLType.maximumVarcharLength), 22)
        case "ts": return (.timestamp, 1114)
        case "tstz": return (.timestamptz, 1184)
        case "date": return (.date, 1082)
        case "double": return (.double, 701)
        case "real": return (.real, 700)
        case "interval": return (.interval, 1186)
        default: return arrays[word].map { (.varchar(SQLType.maximumVarcharLength), $0) } ?? sized(word)
        }
    }

    /// Arrays stand in columns as their text.
    private static let arrays = [
        "smallint[]": 1005, "int[]": 1007, "oid[]": 1028, "name[]": 1003, "text[]": 1009, "aclitem[]": 1034,
        "real[]": 1021, "\"char\"[]": 1002, "oidvector": 30,
    ]

    /// `char(n)`, `varchar(n)`, `numeric(p.s)`.
    private static func sized(_ word: String) -> (SQLType, Int) {
        let parts = word.split { "(.)".contains($0) }
        let numbers = parts.dropFirst().compactMap { Int($0) }
        switch (parts.first, numbers.count) {
        case ("char", 1): return (.char(numbers[0]), 1042)
        case ("varchar", 1): return (.varchar(numbers[0]), 1043)
        case ("numeric", 2): return (.decimal(precision: numbers[0], scale: numbers[1]), 1700)
        default: return (.text, 1043)
        }
    }
}

/// All system relations by name. Adding one is an entry in the list of its file.
struct SystemRelations: SystemRelationSchema {
    /// For functions whose values are needed when a statement is bound; nil where there is no session.
    var answers: CatalogFunctionAnswers?

    static let all: [SystemRelation] =
        ClassRelations.all + ConstraintRelations.all + TypeRelations.all + FunctionRelations.all + ServerRelations.all
        + NamedRelations.all + AbsentRelations.all + InformationSchema.all + MetadataRelations.all
        + PrivilegeRelations.all
        + TableRelations.all
        + ClusterRelations.all + SessionRelations.all + QueryRelations.all + LoadRelations.all + CopyJobRelations.all
        + UnloadRelations.all
        + StepRelations.all + ProcedureRelations.all + QuotaRelations.all
        + StatisticsRelations.all + AnalyzeRelations.all + VacuumRelations.all + CrashRelation.all
        + MemoryRelation.all + WorkloadRelations.all + QueryMetricRelations.all + AccountHistoryRelations.all
        + ActivityHistoryRelations.all + MaterializedViewRelations.all + EmptyRelations.all + ScalingViews.all

    private static let byName: [String: SystemRelation] = {
        var names: [String: SystemRelation] = [:]
        for relation in all { names[relation.planName] = relation }
        return names
    }()
    /// Oids of PostgreSQL where clients may know them, else by place in the list of names.
    static let oids: [String: Int] = {
        var oids = [
            "pg_class": 1259, "pg_attribute": 1249, "pg_type": 1247, "pg_proc": 1255, "pg_namespace": 2615,
            "pg_attrdef": 2604, "pg_constraint": 2606, "pg_depend": 2608, "pg_description": 2609, "pg_index": 2610,
            "pg_language": 2612, "pg_rewrite": 2618, "pg_trigger": 2620, "pg_database": 1262,
        ]
        for (index, name) in all.map(\.planName).sorted().enumerated() where oids[name] == nil {
            oids[name] = 10_100 + index
        }
        return oids
    }()

    static func find(_ name: String, schema: String?) -> SystemRelation? {
        switch schema {
        case nil, "pg_catalog": byName[name]
        case "information_schema": byName["information_schema." + name]
        default: nil
        }
    }
    func columns(ofRelation name: String, schema: String?) -> [SystemColumn]? {
        SystemRelations.find(name, schema: schema)?.columns
    }
    func relationID(_ name: String, schema: String?) -> Int {
        SystemRelations.find(name, schema: schema).flatMap { SystemRelations.oids[$0.planName] } ?? 0
    }
    var relationNames: [String] { SystemRelations.all.map(\.name) }
    func tableFunctionSignatures(_ name: String) -> [[SQLType]] {
        TableFunctions.signatures.filter { $0.name == name }.map(\.arguments)
    }
    func tableFunction(_ name: String, _ arguments: [Datum]) throws -> SystemTableFunction? {
        try TableFunctions.call(name, arguments)
    }
    func value(of function: ScalarFunction, _ arguments: [Datum]) throws -> Datum? {
        if arguments.contains(.null) { return FunctionTable.isStrict(function) ? .null : nil }
        return try ArrayFunctions.value(of: function, arguments) ?? answers?.answer(function, arguments)
    }

    /// - Parameter columns: those that need values; nil for all.
    static func rows(_ name: String, _ snapshot: SystemSnapshot, columns: [Int]? = nil) throws -> ColumnBatch {
        guard let relation = byName[name] else {
            throw SQLError(.undefinedTable, "relation \"\(name)\" does not exist")
        }
        var filter: (column: Int, user: Int)?
        if let column = SystemVisibility.ownerColumn(of: relation), let user = snapshot.shownUser {
            filter = (column, user)
        }
        let sink = SystemRows(
            types: relation.columns.map(\.type), wanted: columns, filter: filter,
            cancellation: snapshot.cancellation)
        try relation.rows(snapshot, sink)
        return sink.batch
    }
}

extension Datum {
    static func number(_ value: Int) -> Datum { .integer(Int128(value)) }
    static func wide(_ value: Int64) -> Datum { .integer(Int128(value)) }
    static func optional(_ value: String?) -> Datum { value.map { .text($0) } ?? .null }
    static let no = Datum.integer(0)
    static let yes = Datum.integer(1)
    static let zero = Datum.integer(0)
    static let blank = Datum.string([])
}
